import { Unavailable } from '@gateway/contracts'
import { BrokerUnavailable, type Queue, type QueueAdmin } from '@gateway/messaging'
import type { Log } from '@gateway/service-kit'
import type { DelayQueue, DelayQueues } from '../persistence/delay-queues.ts'

/** What decides whether a queue can be removed. */
export interface QueueUse {
  readonly ttlMs: number
  readonly in_use_at: Date
  readonly cut_off_at: Date | null
  /** Messages that wait in it; `undefined` when the broker has no such queue. */
  readonly messages: number | undefined
}

interface RetirementTimes {
  /** A queue that no replica has named for this long is retired. */
  readonly unusedAfterMs: number
  /** How long it must have been cut off, beyond its own delay: by then every message in it has expired and moved on. */
  readonly restMs: number
}

/** `bound`: still routed to. `resting`: cut off, but too recently, or it still holds messages. */
type Retirement =
  | { readonly stage: 'in_use' }
  | { readonly stage: 'bound' }
  | { readonly stage: 'resting'; readonly removableAt: Date }
  | { readonly stage: 'removable' }

export interface RetiredQueue {
  readonly name: string
  readonly lastUsedAt: Date
  readonly messages: number
  readonly retirement: Retirement
  /** What this call did with it. */
  readonly done: 'nothing' | 'cut_off' | 'removed'
}

export type RetiredQueues = ReturnType<typeof makeRetiredQueues>

export interface RetiredQueuesOptions {
  readonly delayQueues: DelayQueues
  readonly admin: QueueAdmin
  /** The queues of this replica. */
  readonly inUse: readonly Queue[]
  readonly times: RetirementTimes
  readonly log: Log
  readonly now: () => Date
}

/** Retry and park queues that no running replica has in its configuration. */
export function makeRetiredQueues({ delayQueues, admin, inUse, times, log, now }: RetiredQueuesOptions) {
  const used = new Set(inUse.map(({ name }) => name))

  async function inspect(known: DelayQueue): Promise<RetiredQueue> {
    const messages = await admin.depth(known.queue.name).catch(failure)
    const ttlMs = Number(known.queue.arguments['x-message-ttl'] ?? 0)
    const retirement = retirementOf({ ...known, ttlMs, messages }, times, now())
    return { name: known.queue.name, lastUsedAt: known.in_use_at, messages: messages ?? 0, retirement, done: 'nothing' }
  }

  async function step(known: DelayQueue): Promise<RetiredQueue> {
    const seen = await inspect(known)
    const { stage } = seen.retirement
    if (stage === 'bound' && (await delayQueues.cutOff(known, now()))) {
      await admin.unbind(known.queue)
      await restoreIfUsed(known)
      log.info('retired queue unbound', { queue: seen.name, last_used_at: seen.lastUsedAt })
      return { ...(await inspect({ ...known, cut_off_at: now() })), done: 'cut_off' }
    }
    if (stage === 'removable' && (await delayQueues.cutOff(known, now()))) {
      if (!(await admin.remove(known.queue.name))) return seen
      await delayQueues.forget(known)
      await restoreIfUsed(known)
      log.info('retired queue removed', { queue: seen.name, last_used_at: seen.lastUsedAt })
      return { ...seen, done: 'removed' }
    }
    return seen
  }

  /** A replica names its queues before it declares them, so one that starts meanwhile is seen here or declares after this. */
  async function restoreIfUsed(known: DelayQueue): Promise<void> {
    if (await delayQueues.isUsedSince(known)) await admin.declare(known.queue)
  }

  async function each(work: (known: DelayQueue) => Promise<RetiredQueue>): Promise<RetiredQueue[]> {
    const found: RetiredQueue[] = []
    for (const known of await delayQueues.all()) {
      if (used.has(known.queue.name)) continue
      const queue = await work(known)
      if (queue.retirement.stage !== 'in_use') found.push(queue)
    }
    return found
  }

  return {
    /** Remembers the queues of this replica; called at each heartbeat. */
    keep: () => delayQueues.keep(inUse, now()),
    list: () => each(inspect),
    /** One step: unbinds retired queues, and deletes those that were unbound long enough ago and are empty. */
    remove: () => each(step),
  }
}

function failure(error: unknown): never {
  if (!(error instanceof BrokerUnavailable)) throw error
  throw new Unavailable('broker_unavailable', 'The broker is unavailable; try again', { cause: error })
}

/** The stage of a queue's removal. Only a removable one is deleted, since a quorum queue does not support "delete if empty". */
export function retirementOf(queue: QueueUse, { unusedAfterMs, restMs }: RetirementTimes, now: Date): Retirement {
  const { ttlMs, in_use_at, cut_off_at, messages } = queue
  if (now.getTime() - in_use_at.getTime() < unusedAfterMs) return { stage: 'in_use' }
  if (messages === undefined) return { stage: 'removable' }
  if (!cut_off_at) return { stage: 'bound' }
  const removableAt = new Date(cut_off_at.getTime() + ttlMs + restMs)
  return now >= removableAt && messages === 0 ? { stage: 'removable' } : { stage: 'resting', removableAt }
}
