import type { World } from '../kernel/kernel.ts'
import { MemorySocket, type Client } from './memory-socket.ts'
import { Pipe } from './pipe.ts'

/** The server's end of a connection. */
export interface ServerEnd {
  /** The name of the client. */
  readonly name: string
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

/** Selects connections by the client's name and the server's address. */
export type Which = (client: string, target: string) => boolean

/** A packet of the handshake that a cut swallows is sent again after this time, as TCP does at first. */
const CONNECT_AGAIN_MS = 1000

/** One connection, with the server's end of it. */
class Link implements ServerEnd {
  readonly name: string
  readonly target: string
  readonly socket: MemorySocket
  readonly #network: Network
  readonly #client: Client
  readonly #accept: Accept
  readonly #toServer: Pipe
  readonly #toClient: Pipe
  #connection: ServerConnection | undefined
  #isOpen = true
  /** The client's process has ended. */
  #isGone = false

  constructor(network: Network, client: Client, target: string, accept: Accept) {
    const run = (work: () => void): void => {
      if (!this.#isGone) client.run(work)
    }
    this.#network = network
    this.name = client.name
    this.#client = { name: client.name, run }
    this.target = target
    this.#accept = accept
    const isCut = () => network.isCut(client.name, target)
    const pipe = { world: network.world, delayMs: () => network.delayMs(), isCut }
    this.#toServer = new Pipe({ ...pipe, deliver: (arrived) => this.#onServer(arrived) })
    this.#toClient = new Pipe({ ...pipe, deliver: (arrived) => run(() => this.socket.arrived(arrived)) })
    this.socket = new MemorySocket(network.world, this.#client, {
      write: (bytes) => this.#toServer.write(bytes),
      close: (how) => this.#toServer.end(how),
    })
    this.#connect(isCut)
  }

  send(bytes: Buffer): void {
    if (this.#isOpen) this.#toClient.write(bytes)
  }

  close(how: 'end' | 'reset'): void {
    if (!this.#isOpen) return
    this.#toServer.discard()
    this.#toClient.end(how)
    this.#end()
  }

  /** Both ends see a reset. Whether it overtakes what was sent before depends on the network. */
  reset(): void {
    this.#toServer.discard()
    if (this.#network.world.random() < 0.5) this.#toClient.abort()
    else this.#toClient.end('reset')
    this.#end()
  }

  vanish(): void {
    this.#isGone = true
    this.#toClient.discard()
    this.#toServer.end('reset')
  }

  heal(): void {
    this.#toServer.heal()
    this.#toClient.heal()
  }

  #onServer(arrived: Buffer | 'end' | 'reset'): void {
    if (typeof arrived === 'string') this.#end()
    else if (this.#isOpen) this.#connection?.onData(arrived)
  }

  #end(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#network.ended(this)
    this.#connection?.onClose()
  }

  #connect(isCut: () => boolean): void {
    const { socket } = this
    const { world } = this.#network
    world.after(this.#network.delayMs() + this.#network.delayMs(), () => {
      if (isCut()) return void world.after(CONNECT_AGAIN_MS, () => !socket.destroyed && this.#connect(isCut))
      if (socket.destroyed) {
        this.#end()
        return
      }
      if (this.#isOpen) this.#connection = this.#accept(this)
      if (!this.#connection) this.#end()
      this.#client.run(() => {
        const [host = '', port = '0'] = this.target.split(':')
        if (socket.destroyed) return
        if (this.#connection) socket.accepted(host, Number(port))
        else socket.destroy(refused(host, port))
      })
    })
  }
}

/** All simulated connections to one kind of server: opens, cuts and resets them. */
export class Network {
  readonly world: World
  readonly #links = new Set<Link>()
  readonly #cuts = new Set<Which>()

  constructor(world: World) {
    this.world = world
  }

  /** The time that bytes travel in one direction, drawn for every segment. */
  delayMs(): number {
    return 0.2 + this.world.random() * 0.8
  }

  isCut(client: string, target: string): boolean {
    return [...this.#cuts].some((which) => which(client, target))
  }

  ended(link: Link): void {
    this.#links.delete(link)
  }

  /** Opens a connection to `host:port`. The socket behaves as one of `net.connect` does. */
  open(client: Client, target: string, accept: Accept): MemorySocket {
    const link = new Link(this, client, target, accept)
    this.#links.add(link)
    return link.socket
  }

  /** Bytes between these clients and servers are held until the returned function is called. New connections get no answer. */
  cut(which: Which): () => void {
    this.#cuts.add(which)
    return () => {
      if (this.#cuts.delete(which)) for (const link of this.#links) link.heal()
    }
  }

  /** Both ends see a reset: the server at once, the client after the delay of the network, with or without what was on its way. */
  reset(which: Which): void {
    for (const link of [...this.#links]) if (which(link.name, link.target)) link.reset()
  }

  /** The client's process is gone: nothing reaches it any more, and servers see a reset after the delay of the network. */
  vanish(client: string): void {
    for (const link of [...this.#links]) if (link.name === client) link.vanish()
  }
}

function refused(address: string, port: string): Error {
  const message = `connect ECONNREFUSED ${address}:${port}`
  return Object.assign(new Error(message), { code: 'ECONNREFUSED', syscall: 'connect', address, port: Number(port) })
}
