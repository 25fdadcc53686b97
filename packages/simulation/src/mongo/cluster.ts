import type { World } from '../kernel/kernel.ts'
import type { Client, MemorySocket } from '../sockets/memory-socket.ts'
import { Network } from '../sockets/network.ts'
import { Chunks, type Division } from './chunks.ts'
import type { Doc } from './documents.ts'
import { moveChunk } from './move-chunk.ts'
import { ReplicaSet, type ReplicaSetOptions } from './replica-set.ts'
import { Router, type RouterHost } from './router.ts'

export interface ClusterOptions extends Omit<ReplicaSetOptions, 'keyOf'> {
  /** With one, clients connect to its members; with more, to routers. */
  readonly shards: number
  /** How the sharded collections are divided, by `<database>.<collection>`. All others are on the first shard. */
  readonly divisions?: Readonly<Record<string, Division>>
  readonly onReach?: RouterHost['onReach']
  readonly onStaleRouter?: () => void
  /** A chunk is on another shard now; so many commands waited for that. */
  readonly onMoved?: (waited: number) => void
}

const ROUTERS = ['mongos-1:27017', 'mongos-2:27017']

/** A database in memory for the real driver: one replica set, or several as shards behind two routers. */
export class Cluster {
  readonly shards: readonly ReplicaSet[]
  readonly network: Network
  readonly #world: World
  readonly #options: ClusterOptions
  readonly #chunks = new Map<string, Chunks>()
  readonly #routers: readonly Router[]

  constructor(world: World, options: ClusterOptions) {
    const { shards: count, divisions = {}, onReach, onStaleRouter } = options
    this.#world = world
    this.#options = options
    for (const [namespace, division] of Object.entries(divisions)) this.#chunks.set(namespace, new Chunks(division, count))
    const keyOf = (namespace: string) => (count > 1 ? divisions[namespace]?.key : undefined)
    this.shards = Array.from({ length: count }, () => new ReplicaSet(world, { ...options, keyOf }))
    this.network = count > 1 ? new Network(world) : this.#first.network
    const host: RouterHost = {
      ...{ world, shards: this.shards },
      chunksOf: (namespace) => this.#chunks.get(namespace),
      onReach: onReach ?? (() => undefined),
      onStaleRouter: onStaleRouter ?? (() => undefined),
    }
    this.#routers = ROUTERS.map(() => new Router(host))
  }

  get #first(): ReplicaSet {
    const [first] = this.shards
    if (!first) throw new Error('a cluster has at least one shard')
    return first
  }

  /** The URL for clients. */
  get url(): string {
    return this.shards.length > 1 ? `mongodb://${ROUTERS.join()}/` : this.#first.url
  }

  /** True while a member that was replaced still takes itself for the primary. */
  get isStale(): boolean {
    return this.shards.some(({ members }) => members.some(({ isIsolated }) => isIsolated))
  }

  /** Opens a connection to `host:port`, in place of `net.createConnection`. */
  connect(client: Client, target: string): MemorySocket {
    if (this.shards.length === 1) return this.#first.connect(client, target)
    const router = this.#routers[ROUTERS.indexOf(target)]
    return this.network.open(client, target, (end) => router?.accept(end))
  }

  /** The documents of a collection as of the majority points, shard by shard. */
  dump(database: string, collection: string): Doc[] {
    const chunks = this.#chunks.get(`${database}.${collection}`)
    return this.shards.flatMap((shard, number) => {
      const documents = shard.dump(database, collection)
      return chunks ? documents.filter((doc) => chunks.ownerOf(chunks.chunkOf(doc)) === number) : documents
    })
  }

  /** Moves a chunk to another shard; the number decides which and where. Does nothing with one shard. */
  moveChunk(number: number): void {
    const sharded = [...this.#chunks]
    const [namespace, chunks] = sharded[number % sharded.length] ?? []
    if (this.shards.length === 1 || namespace === undefined || !chunks) return
    const rest = Math.floor(number / sharded.length)
    const chunk = rest % chunks.count
    const before = chunks.ownerOf(chunk)
    const owner = (before + 1 + (rest % (this.shards.length - 1))) % this.shards.length
    const [from, to] = [this.shards[before], this.shards[owner]]
    if (from && to)
      moveChunk(this.#world, { namespace, chunks, chunk, from, to, owner, onEnd: (waited) => this.#options.onMoved?.(waited) })
  }
}
