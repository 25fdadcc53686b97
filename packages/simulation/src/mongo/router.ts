import type { World } from '../kernel/kernel.ts'
import type { Accept } from '../sockets/network.ts'
import type { Chunks } from './chunks.ts'
import { Command } from './commands.ts'
import { divide, type Reach } from './divide.ts'
import type { Doc } from './documents.ts'
import { ServerError } from './errors.ts'
import { helloOfRouter } from './hello.ts'
import { isHello, isSmallTalk, type Member } from './member.ts'
import type { ReplicaSet } from './replica-set.ts'
import { encodeReply, RequestReader, type Request } from './wire.ts'

/** What a router needs of its cluster. */
export interface RouterHost {
  readonly world: World
  readonly shards: readonly ReplicaSet[]
  /** `undefined` for a collection that is not sharded: it is on the first shard. */
  readonly chunksOf: (namespace: string) => Chunks | undefined
  /** Called with each filter, when the shards that it names are asked. */
  readonly onReach: (command: Command, reach: Reach) => void
  /** A shard has refused a command of a router that did not know of a move. */
  readonly onStaleRouter: () => void
}

/** How long a router believes in a primary without asking again, as drivers do. */
const PRIMARY_KNOWN_MS = 10_000
/** How long a router looks for a primary before it gives a command up. */
const FIND_PRIMARY_WITHIN_MS = 15_000
const LOOK_AGAIN_MS = 100
/** How often it sends a part that can be repeated. Source: `kMaxNumFailedHostRetryAttempts` of MongoDB's async_requests_sender. */
const MAX_SENDS = 4
const REFRESH_MS = 5
/** A member that has stepped down, is no primary, or was interrupted by that. */
const REPLACED: ReadonlySet<unknown> = new Set([10107, 11602, 13435])

/** What becomes of one part: its answer, or that of a shard that could not be asked. */
type Done = (answer: Doc) => void

/** A command of a client. */
interface Asked {
  readonly command: Command
  readonly client: { readonly isGone: boolean }
  readonly done: Done
}

/**
 * A mongos: it divides each command among the shards, repeats parts that met a failover when that changes nothing twice, and merges the
 * answers. The network between it and the shards never fails by itself.
 */
export class Router {
  readonly #host: RouterHost
  readonly #primaries = new Map<number, { readonly member: Member; readonly atMs: number }>()
  /** The version of each collection's chunks that it knows. */
  readonly #versions = new Map<Chunks, number>()

  constructor(host: RouterHost) {
    this.#host = host
  }

  readonly accept: Accept = (end) => {
    const [reader, client] = [new RequestReader(), { isGone: false }]
    const serve = (request: Request): void => {
      const done = (answer: Doc): void => {
        if (request.wantsReply) end.send(encodeReply(request, answer))
      }
      this.#serve({ command: new Command(request.body), client, done })
    }
    return { onData: (bytes) => reader.read(bytes).forEach(serve), onClose: () => void (client.isGone = true) }
  }

  #serve(asked: Asked): void {
    const { world, chunksOf } = this.#host
    const { command, done } = asked
    if (isHello(command)) done(helloOfRouter(Math.floor(world.now())))
    else if (isSmallTalk(command)) done({ ok: 1 })
    else this.#route(asked, chunksOf(command.namespace))
  }

  #route(asked: Asked, chunks: Chunks | undefined): void {
    const { command, client, done } = asked
    // A command that waited ends with its client.
    if (client.isGone) return
    const again = (): void => this.#route(asked, chunks)
    const divided = divide(command, chunks)
    if (chunks?.holdBack(divided.chunks, again) || (chunks && this.#isStale(chunks, again))) return
    for (const reach of divided.reaches) this.#host.onReach(command, reach)
    const end = chunks?.use(divided.chunks)
    const answers: Doc[] = []
    let left = divided.parts.length
    for (const [at, part] of divided.parts.entries()) {
      // A label would make the driver repeat what the router has repeated already.
      this.#send(part.shard, part.command, ({ errorLabels: _labels, ...answer }) => {
        answers[at] = answer
        left -= 1
        if (left > 0) return
        end?.()
        done(divided.merge(answers))
      })
    }
  }

  /** True when this router did not know of a move: the shards refuse its command, and it routes that again with the new chunks. */
  #isStale(chunks: Chunks, again: () => void): boolean {
    const known = this.#versions.get(chunks)
    this.#versions.set(chunks, chunks.version)
    if (known === undefined || known === chunks.version) return false
    const { world, onStaleRouter } = this.#host
    onStaleRouter()
    world.after(world.random() * REFRESH_MS, again)
    return true
  }

  /** Asks the primary of a shard, and the next one when that can change nothing twice. */
  #send(shard: number, command: Command, done: Done, sends = 1): void {
    this.#findPrimary(shard, (member) => {
      const failed = (answer: Doc): void => {
        this.#primaries.delete(shard)
        if (sends >= MAX_SENDS || (command.isWrite && !command.retryable)) done(answer)
        else this.#host.world.after(LOOK_AGAIN_MS, () => this.#send(shard, command, done, sends + 1))
      }
      if (!member) done(NO_PRIMARY.toReply(false))
      member?.serve(command, {
        reply: (answer) => (REPLACED.has(answer['code']) ? failed(answer) : done(answer)),
        reset: () => failed(UNREACHABLE.toReply(false)),
      })
    })
  }

  #findPrimary(shard: number, found: (member: Member | undefined) => void, lookedMs = 0): void {
    const { world, shards } = this.#host
    const known = this.#primaries.get(shard)
    const isKnown = known?.member.isAlive && world.now() - known.atMs < PRIMARY_KNOWN_MS
    const member = isKnown ? known.member : shards[shard]?.primary
    if (member && !isKnown) this.#primaries.set(shard, { member, atMs: world.now() })
    if (member || lookedMs >= FIND_PRIMARY_WITHIN_MS) found(member)
    else world.after(LOOK_AGAIN_MS, () => this.#findPrimary(shard, found, lookedMs + LOOK_AGAIN_MS))
  }
}

const NO_PRIMARY = new ServerError(133, 'Could not find host matching read preference { mode: "primary" }')
const UNREACHABLE = new ServerError(6, 'Connection closed by peer')
