import type { World } from '../kernel/kernel.ts'
import type { Client, MemorySocket } from '../sockets/memory-socket.ts'
import { Network } from '../sockets/network.ts'
import { Branch, type Change, type Entry, type Share } from './branch.ts'
import type { Doc } from './documents.ts'
import { Member } from './member.ts'

export interface ReplicaSetOptions {
  /** `host:port` of each member. With one, it is a standalone server: what it writes is committed at once. */
  readonly hosts: readonly string[]
  /** How long a majority takes to have an entry, in milliseconds; by default mostly 1 to 5, now and then up to 300. */
  readonly lagMs?: () => number
  /** How long the set has no primary; by default 0.5 to 4 s. */
  readonly electionMs?: () => number
  /** How long a primary that is cut off serves on; by default up to 12 s. */
  readonly staleMs?: () => number
  /** The shard key of a collection, when the set is a shard. */
  readonly keyOf?: (namespace: string) => readonly string[] | undefined
  /** Called with each entry when a majority has it, in the order of the log. */
  readonly onCommit?: (entry: Entry) => void
  /** Called with each entry that a failover has cut off. */
  readonly onRollback?: (entry: Entry) => void
  /** Called when a primary that was replaced answers a read. */
  readonly onStaleRead?: () => void
}

const NO_PRIMARY_MS = 50

/** A MongoDB replica set in memory, or a standalone server, for the real driver. */
export class ReplicaSet {
  readonly network: Network
  readonly members: readonly Member[]
  readonly #world: World
  readonly #options: ReplicaSetOptions
  /** The branch of the newest term, of which each majority is. */
  #branch = new Branch()
  #primary: Member | undefined
  /** What to do when a majority has one of the cluster's own entries. */
  readonly #own = new Map<Entry, () => void>()
  /** How much longer a majority takes to have an entry, such as around elections. */
  slowMs = 0

  constructor(world: World, options: ReplicaSetOptions) {
    this.#world = world
    this.#options = options
    this.network = new Network(world)
    const host = {
      world,
      hosts: options.hosts,
      primary: () => this.#primary?.address,
      written: (member: Member) => this.#written(member),
      keyOf: options.keyOf ?? (() => undefined),
      read: (member: Member) => {
        if (member !== this.#primary) options.onStaleRead?.()
      },
    }
    this.members = options.hosts.map((address) => new Member(address, host))
    this.#elect(this.members[0])
  }

  /** The URL for clients. */
  get url(): string {
    const { hosts } = this.#options
    return `mongodb://${hosts.join()}/${hosts.length > 1 ? '?replicaSet=rs0' : ''}`
  }

  get primary(): Member | undefined {
    return this.#primary
  }

  /** Opens a connection to `host:port`, in place of `net.createConnection`. */
  connect(client: Client, target: string): MemorySocket {
    const member = this.members.find(({ address }) => address === target)
    return this.network.open(client, target, (end) => member?.accept(end))
  }

  /** The documents of a collection as of the majority point, in the order of their insertion. */
  dump(database: string, collection: string): Doc[] {
    return this.#branch.committed.collection(`${database}.${collection}`).all
  }

  /** Documents of a collection, when a majority has every change of them; with the answers of retryable writes. */
  committedShare(namespace: string, isIn: (doc: Doc) => boolean): Share | undefined {
    const [committed, newest] = [this.#branch.committed, this.#branch.newest].map((state) => state.share(namespace, isIn))
    if (!this.#primary || !committed || !newest) return undefined
    const { documents } = newest
    const isSettled =
      committed.documents.length === documents.length && committed.documents.every((doc) => documents.includes(doc))
    return isSettled ? committed : undefined
  }

  /** Writes an entry of the cluster's own, again after each failover that cuts it, until a majority has it. */
  write(change: Change, done: () => void): void {
    if (!this.#primary) return void this.#world.after(NO_PRIMARY_MS, () => this.write(change, done))
    const entry = { change }
    this.#own.set(entry, done)
    this.#branch.append(entry)
    this.#commitSoon()
  }

  /**
   * Another member becomes the primary. Entries after a random point between the majority point and the end of the log are lost. A
   * `stale` old primary does not notice for a while: it serves its own branch, on which nothing is committed any more.
   */
  failover({ stale = this.#world.random() < 0.5 } = {}): void {
    const old = this.#primary
    if (!old) return
    if (this.members.length === 1) {
      this.killMember(0)
      this.#world.after(this.#electionMs(), () => this.restartMember(0))
      return
    }
    this.#cutLog()
    this.#primary = undefined
    if (stale) {
      old.isIsolated = true
      const staleMs = this.#options.staleMs ?? (() => this.#world.random() * 12_000)
      this.#world.after(staleMs(), () => this.#rejoin(old))
    } else old.stepDown()
    this.#world.after(this.#electionMs(), () => this.#electSomeone(old))
  }

  /** Its connections are reset, and it refuses new ones. When it was the primary, another one is elected. */
  killMember(index: number): void {
    const member = this.members[index]
    if (!member?.isAlive) return
    const wasPrimary = member === this.#primary
    if (wasPrimary && this.members.length > 1) this.#cutLog()
    member.die()
    if (!wasPrimary) return
    this.#primary = undefined
    if (this.members.length > 1) this.#world.after(this.#electionMs(), () => this.#electSomeone(member))
  }

  /** It comes back as a secondary; a standalone server comes back with all it had. */
  restartMember(index: number): void {
    const member = this.members[index]
    if (!member || member.isAlive) return
    member.isAlive = true
    member.isIsolated = false
    if (this.members.length === 1) this.#elect(member)
    else if (this.#primary) this.#commitSoon()
    else this.#electSomeone(undefined)
  }

  #electionMs(): number {
    return (this.#options.electionMs ?? (() => 500 + this.#world.random() * 3500))()
  }

  /** The next primary has some of the entries that were not committed yet, or all, or none. */
  #cutLog(): void {
    const { committedIndex, lastIndex } = this.#branch
    const { next, lost } = this.#branch.cut(Math.floor(this.#world.random() * (lastIndex - committedIndex + 1)))
    this.#branch = next
    for (const entry of lost) {
      this.#options.onRollback?.(entry)
      const done = this.#own.get(entry)
      if (done && this.#own.delete(entry)) this.write(entry.change, done)
    }
  }

  #electSomeone(notThisOne: Member | undefined): void {
    if (this.#primary || !this.#hasMajority()) return
    const able = this.members.filter(({ isAlive, isIsolated }) => isAlive && !isIsolated)
    const candidates = able.filter((member) => member !== notThisOne)
    const from = candidates.length > 0 ? candidates : able
    this.#elect(from[Math.floor(this.#world.random() * from.length)])
  }

  #elect(member: Member | undefined): void {
    if (!member) return
    this.#primary = member
    member.becomePrimary(this.#branch)
    this.#branch.append({ change: { kind: 'noop' } })
    this.#written(member)
  }

  #rejoin(member: Member): void {
    if (!member.isIsolated) return
    member.isIsolated = false
    if (member !== this.#primary) member.stepDown()
    if (!this.#primary) this.#electSomeone(undefined)
    else this.#commitSoon()
  }

  #written(member: Member): void {
    if (member === this.#primary) this.#commitSoon()
  }

  /** A majority gets what the log has now. */
  #commitSoon(): void {
    const branch = this.#branch
    const index = branch.lastIndex
    if (this.members.length === 1) {
      this.#commit(index)
      return
    }
    // Now and then a member is slow.
    const usualLagMs = () => (this.#world.random() < 0.02 ? this.#world.random() * 300 : 1 + this.#world.random() * 4)
    this.#world.after((this.#options.lagMs ?? usualLagMs)() + this.slowMs, () => {
      if (branch === this.#branch && this.#primary && this.#hasMajority()) this.#commit(index)
    })
  }

  #commit(index: number): void {
    for (const entry of this.#branch.commitUpTo(index)) {
      this.#options.onCommit?.(entry)
      const done = this.#own.get(entry)
      if (done && this.#own.delete(entry)) done()
    }
    this.#primary?.committed()
  }

  #hasMajority(): boolean {
    return this.members.filter(({ isAlive, isIsolated }) => isAlive && !isIsolated).length * 2 > this.members.length
  }
}
