import type { World } from '../kernel/world.ts'
import { MemorySocket, type Client } from './memory-socket.ts'
import { Pipe } from './pipe.ts'

/** The server's end of a connection. */
export interface ServerEnd {
  readonly client: string
  send(bytes: Buffer): void
  /** Ends the connection: in order, after all that was sent; or by a reset. */
  close(how: 'end' | 'reset'): void
}

/** What a server does with one connection. */
export interface ServerConnection {
  onData(bytes: Buffer): void
  /** Called once, when the client has gone or the server has closed the connection. */
  onClose(): void
}

/** Takes a connection, or refuses it by returning `undefined`. */
export type Accept = (end: ServerEnd) => ServerConnection | undefined

interface Link {
  readonly client: string
  readonly target: string
  readonly pipes: readonly Pipe[]
  reset(): void
  vanish(): void
}

/** Selects connections by the client's name and the server's address. */
export type Which = (client: string, target: string) => boolean

/** All simulated connections to one kind of server: opens, cuts and resets them. */
export class Network {
  readonly #world: World
  readonly #delayMs: () => number
  readonly #links = new Set<Link>()
  readonly #cuts = new Set<Which>()

  /** @param delayMs the time that bytes travel in one direction; by default 0.2 to 1 ms, drawn for every segment */
  constructor(world: World, delayMs: () => number = () => 0.2 + world.random() * 0.8) {
    this.#world = world
    this.#delayMs = delayMs
  }

  /** Opens a connection to `host:port`. The socket behaves as one of `net.connect` does. */
  open(opener: Client, target: string, accept: Accept): MemorySocket {
    let isGone = false
    const client: Client = {
      name: opener.name,
      run(work) {
        if (!isGone) opener.run(work)
      },
    }
    const isCut = () => this.#isCut(client.name, target)
    let connection: ServerConnection | undefined
    let isOpen = true
    const close = (): void => {
      if (!isOpen) return
      isOpen = false
      this.#links.delete(link)
      connection?.onClose()
    }
    const direction = (deliver: ConstructorParameters<typeof Pipe>[0]['deliver']) =>
      new Pipe({ world: this.#world, delayMs: this.#delayMs, isCut, deliver })
    const toServer = direction((arrived) => {
      if (typeof arrived === 'string') close()
      else if (isOpen) connection?.onData(arrived)
    })
    const toClient = direction((arrived) => client.run(() => receive(socket, arrived)))
    const socket = new MemorySocket(this.#world, client, {
      write: (bytes) => toServer.write(bytes),
      close: (how) => toServer.end(how),
    })
    const link: Link = {
      client: client.name,
      target,
      pipes: [toServer, toClient],
      reset: () => {
        toServer.discard()
        // Whether a reset overtakes what was sent before depends on the network.
        if (this.#world.random() < 0.5) toClient.abort()
        else toClient.end('reset')
        close()
      },
      vanish: () => {
        isGone = true
        toClient.discard()
        toServer.end('reset')
      },
    }
    const end: ServerEnd = {
      client: client.name,
      send: (bytes) => {
        if (isOpen) toClient.write(bytes)
      },
      close: (how) => {
        if (!isOpen) return
        toServer.discard()
        toClient.end(how)
        close()
      },
    }
    this.#links.add(link)
    const accepts = () => (connection = isOpen ? accept(end) : undefined)
    this.#connect({ client, target, socket, isCut, accept: accepts, refuse: close })
    return socket
  }

  /** Bytes between these clients and servers are held until the returned function is called. New connections get no answer. */
  cut(which: Which): () => void {
    this.#cuts.add(which)
    return () => {
      if (!this.#cuts.delete(which)) return
      for (const { pipes } of this.#links) for (const pipe of pipes) pipe.heal()
    }
  }

  /** Both ends see a reset: the server at once, the client after the delay of the network, with or without what was on its way. */
  reset(which: Which): void {
    for (const link of [...this.#links]) if (which(link.client, link.target)) link.reset()
  }

  /** The client's process is gone: nothing reaches it any more, and servers see a reset after the delay of the network. */
  vanish(client: string): void {
    for (const link of [...this.#links]) if (link.client === client) link.vanish()
  }

  #isCut(client: string, target: string): boolean {
    for (const which of this.#cuts) if (which(client, target)) return true
    return false
  }

  #connect(one: {
    readonly client: Client
    readonly target: string
    readonly socket: MemorySocket
    readonly isCut: () => boolean
    readonly accept: () => unknown
    readonly refuse: () => void
  }): void {
    const { client, target, socket, isCut } = one
    const [host = '', port = '0'] = target.split(':')
    this.#world.after(this.#delayMs() + this.#delayMs(), () => {
      // A packet that is lost is sent again, a second later at first.
      if (isCut()) return void this.#world.after(1000, () => !socket.destroyed && this.#connect(one))
      if (socket.destroyed) {
        one.refuse()
        return
      }
      const accepted = one.accept()
      if (!accepted) one.refuse()
      client.run(() => {
        if (socket.destroyed) return
        if (accepted) socket.accepted(host, Number(port))
        else socket.destroy(refused(host, port))
      })
    })
  }
}

function receive(socket: MemorySocket, arrived: Buffer | 'end' | 'reset'): void {
  if (socket.destroyed) return
  if (arrived === 'end') socket.push(null)
  else if (arrived === 'reset')
    socket.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' }))
  else socket.arrived(arrived)
}

function refused(address: string, port: string): Error {
  const message = `connect ECONNREFUSED ${address}:${port}`
  return Object.assign(new Error(message), { code: 'ECONNREFUSED', syscall: 'connect', address, port: Number(port) })
}
