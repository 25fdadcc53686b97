import { Duplex } from 'node:stream'
import type { World } from '../kernel/kernel.ts'

/** The simulated process at the client's end of a socket. */
export interface Client {
  /** Names the process, such as `order-api-1`. */
  readonly name: string
  /** Runs work of the socket inside this process: now, later when it is paused, or never when it has crashed. */
  run(work: () => void): void
}

/** What a socket tells the network that carries its bytes. */
interface SocketUser {
  write(bytes: Buffer): void
  /** The client ended or destroyed the socket. */
  close(how: 'end' | 'reset'): void
}

/** The client's end of a connection in memory, with what the drivers call of `net.Socket`. */
export class MemorySocket extends Duplex {
  readonly #world: World
  readonly #client: Client
  readonly #user: SocketUser
  #cancelTimeout: (() => void) | undefined
  #timeoutMs = 0
  #activeAt = 0
  remoteAddress: string | undefined
  remotePort: number | undefined

  constructor(world: World, client: Client, user: SocketUser) {
    super({ allowHalfOpen: false })
    this.#world = world
    this.#client = client
    this.#user = user
  }

  setKeepAlive(): this {
    return this
  }

  setNoDelay(): this {
    return this
  }

  /** As in `net.Socket`: emits `timeout` after so long without bytes in either direction; 0 switches it off. */
  setTimeout(ms: number, listener?: () => void): this {
    this.#cancelTimeout?.()
    this.#timeoutMs = ms
    this.#activeAt = this.#world.now()
    if (listener) this.once('timeout', listener)
    if (ms > 0) this.#watch(ms)
    return this
  }

  /** The network calls this when the connection is accepted. */
  accepted(address: string, port: number): void {
    this.remoteAddress = address
    this.remotePort = port
    this.#activeAt = this.#world.now()
    this.emit('connect')
  }

  /** The network calls this with what arrives from the server. */
  arrived(what: Buffer | 'end' | 'reset'): void {
    if (this.destroyed) return
    if (what === 'end') this.push(null)
    else if (what === 'reset') this.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' }))
    else {
      this.#activeAt = this.#world.now()
      this.push(what)
    }
  }

  override _read(): void {
    // Bytes are pushed as they arrive; the models never send more than a test holds in memory.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#activeAt = this.#world.now()
    this.#user.write(chunk)
    done()
  }

  override _final(done: () => void): void {
    this.#user.close('end')
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#cancelTimeout?.()
    this.#user.close('reset')
    done(error)
  }

  /** One world event a timeout, however much traffic there is: it looks how long the socket has been silent. */
  #watch(ms: number): void {
    this.#cancelTimeout = this.#world.after(ms, () => {
      const silentMs = this.#world.now() - this.#activeAt
      if (silentMs < this.#timeoutMs) this.#watch(this.#timeoutMs - silentMs)
      else this.#client.run(() => this.emit('timeout'))
    })
  }
}
