import type { World } from '../kernel/kernel.ts'
import type { Accept, ServerConnection, ServerEnd } from '../sockets/network.ts'
import type { Branch } from './branch.ts'
import { Command, execute } from './commands.ts'
import type { Doc } from './documents.ts'
import { ServerError } from './errors.ts'
import { hello } from './hello.ts'
import { encodeReply, RequestReader, type Request } from './wire.ts'

/** What a member needs of the replica set. */
export interface MemberHost {
  readonly world: World
  readonly hosts: readonly string[]
  /** The address of the primary of the newest term; `undefined` during an election. */
  primary(): string | undefined
  /** This member, a primary, has written an entry. */
  readonly written: (member: Member) => void
  /** The fields of the shard key of a collection that is divided among shards. */
  readonly keyOf: (namespace: string) => readonly string[] | undefined
  /** This member has answered a read, while it may have been replaced. */
  read(member: Member): void
}

/** Where an answer goes. */
interface Asker {
  readonly reply: (answer: Doc) => void
  /** The connection ends without an answer. */
  readonly reset: () => void
}

/** A write that is done here and waits until a majority has it. */
interface Waiter {
  readonly index: number
  settle(how: 'committed' | 'stepped down' | 'interrupted'): void
  reset(): void
}

/** One server. As a primary it has a branch of the log; a stale one keeps its own until it steps down. */
export class Member {
  readonly address: string
  readonly #host: MemberHost
  readonly #connections = new Set<ServerEnd>()
  #waiters: Waiter[] = []
  /** What it serves as a primary; `undefined` while it is a secondary. */
  #branch: Branch | undefined
  /** Closed for good, or until it is started again. */
  isAlive = true
  /** Cannot reach the other members. */
  isIsolated = false

  constructor(address: string, host: MemberHost) {
    this.address = address
    this.#host = host
  }

  becomePrimary(branch: Branch): void {
    this.#branch = branch
  }

  /** Answers waiting writes with one of the errors that a real primary answers them with, and becomes a secondary. */
  stepDown(): void {
    this.#branch = undefined
    const { world } = this.#host
    for (const waiter of this.#waiters.splice(0)) {
      const chance = world.random()
      if (chance < 1 / 3) waiter.reset()
      else waiter.settle(chance < 2 / 3 ? 'stepped down' : 'interrupted')
    }
  }

  /** Ends every connection; waiting writes are never answered. */
  die(): void {
    this.isAlive = false
    this.#branch = undefined
    for (const waiter of this.#waiters.splice(0)) waiter.reset()
    for (const end of [...this.#connections]) end.close('reset')
  }

  /** The majority point has moved. */
  committed(): void {
    const index = this.#branch?.committedIndex ?? 0
    const done = this.#waiters.filter((waiter) => waiter.index <= index)
    this.#waiters = this.#waiters.filter((waiter) => waiter.index > index)
    for (const waiter of done) waiter.settle('committed')
  }

  readonly accept: Accept = (end) => {
    if (!this.isAlive) return undefined
    const reader = new RequestReader()
    this.#connections.add(end)
    const connection: ServerConnection = {
      onData: (bytes) => {
        for (const request of reader.read(bytes)) this.serve(new Command(request.body), askerOf(request, end))
      },
      onClose: () => void this.#connections.delete(end),
    }
    return connection
  }

  /** Runs a command of a client, or of a router. */
  serve(command: Command, asker: Asker): void {
    if (!this.isAlive) {
      asker.reset()
      return
    }
    try {
      this.#run(command, asker)
    } catch (error) {
      if (!(error instanceof ServerError)) throw error
      // A write that fails waits too: what made it fail may be undone.
      const answer = error.toReply(command.retryable !== undefined)
      if (this.#branch && command.isWrite) this.#whenDurable(command, answer, asker)
      else asker.reply(answer)
    }
  }

  #run(command: Command, asker: Asker): void {
    const { world, hosts } = this.#host
    if (isHello(command)) {
      const primary = this.#branch ? this.address : this.#host.primary()
      asker.reply(hello({ hosts, me: this.address, primary, term: this.#branch?.term ?? 0, now: Math.floor(world.now()) }))
      return
    }
    if (isSmallTalk(command)) {
      asker.reply({ ok: 1 })
      return
    }
    const branch = this.#branch
    if (!branch) throw command.isWrite ? NOT_WRITABLE : NOT_READABLE
    // A retry that comes after a later write of its session is refused as a whole.
    if (command.retryable) branch.newest.executed(command.retryable, 0)
    const { keyOf, written } = this.#host
    const answer = execute(command, branch, { key: keyOf(command.namespace), onEntry: () => written(this) })
    if (command.isWrite) this.#whenDurable(command, answer, asker)
    else {
      this.#host.read(this)
      asker.reply(answer)
    }
  }

  /** Also a write that changed nothing waits: what it saw may not be committed yet. */
  #whenDurable(command: Command, answer: Doc, { reply, reset }: Asker): void {
    const branch = this.#branch
    if (!branch || !command.waitsForMajority || branch.lastIndex <= branch.committedIndex) {
      reply(answer)
      return
    }
    const labels = command.retryable ? { errorLabels: ['RetryableWriteError'] } : {}
    this.#waiters.push({
      index: branch.lastIndex,
      settle: (how) => {
        if (how === 'committed') reply(answer)
        else if (how === 'interrupted') reply(INTERRUPTED.toReply(command.retryable !== undefined))
        else reply({ ...answer, writeConcernError: STEPPED_DOWN.toWriteConcernError(), ...labels })
      },
      reset,
    })
  }
}

/** A client asks what this server is. */
export function isHello({ name }: Command): boolean {
  return ['hello', 'ismaster', 'isMaster'].includes(name)
}

/** A command that says and changes nothing. */
export function isSmallTalk({ name }: Command): boolean {
  return name === 'ping' || name === 'endSessions'
}

function askerOf(request: Request, end: ServerEnd): Asker {
  return {
    reply: (answer) => {
      if (request.wantsReply) end.send(encodeReply(request, answer))
    },
    reset: () => end.close('reset'),
  }
}

const NOT_WRITABLE = new ServerError(10107, 'not primary')
const NOT_READABLE = new ServerError(13435, 'not primary and secondaryOk=false')
const INTERRUPTED = new ServerError(11602, 'operation was interrupted')
const STEPPED_DOWN = new ServerError(189, 'Primary stepped down while waiting for replication')
