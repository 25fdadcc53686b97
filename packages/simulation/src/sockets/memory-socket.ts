import { Duplex } from 'node:stream'
import type { World } from '../kernel/world.ts'

/** The simulated process at the client's end of a socket. */
export interface Client {
  /** Names the process, such as `order-api-1`. */
  readonly name: string
  /** Runs work of the socket inside this process: now, later when it is paused, or never when it has crashed. */
  run(work: () => void): void
}

/** What a socket tells the network that carries its bytes. */
export interface SocketUser {
  write(bytes: Buffer): void
  /** The client ended or destroyed the socket. */
  close(how: 'end' | 'reset'): void
}

/** The client's end of a connection in memory, with what `net.Socket` has and the drivers call. */
export class MemorySocket extends Duplex {
  readonly #world: World
  readonly #client: Client
  readonly #user: SocketUser
  #cancelTimeout: (() => void) | undefined
  #timeoutMs = 0
  #activeAt = 0
  /** A write that waits for the connection. */
  #unsent: (() => void) | undefined
  connecting = true
  remoteAddress: string | undefined
  remotePort: number | undefined
  readonly remoteFamily = 'IPv4'

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

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  /** As in `net.Socket`: emits `timeout` after so long without bytes in either direction; 0 switches it off. */
  setTimeout(ms: number, listener?: () => void): this {
    this.#cancelTimeout?.()
    this.#cancelTimeout = undefined
    this.#timeoutMs = ms
    this.#activeAt = this.#world.now()
    if (listener) {
      if (ms > 0) this.once('timeout', listener)
      else this.removeListener('timeout', listener)
    }
    if (ms > 0) this.#watch(ms)
    return this
  }

  /** The network calls this when the connection is accepted. */
  accepted(address: string, port: number): void {
    this.connecting = false
    this.remoteAddress = address
    this.remotePort = port
    this.#activeAt = this.#world.now()
    this.#unsent?.()
    this.#unsent = undefined
    this.emit('connect')
    this.emit('ready')
  }

  /** The network calls this with the server's bytes. */
  arrived(bytes: Buffer): void {
    this.#activeAt = this.#world.now()
    this.push(bytes)
  }

  override _read(): void {
    // Bytes are pushed as they arrive; the models never send more than a test holds in memory.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const send = (): void => {
      this.#activeAt = this.#world.now()
      this.#user.write(chunk)
      done()
    }
    if (this.connecting) this.#unsent = send
    else send()
  }

  override _writev(chunks: { readonly chunk: Buffer }[], done: () => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), 'utf8', done)
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
