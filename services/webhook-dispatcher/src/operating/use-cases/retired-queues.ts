import { Unavailable } from '@gateway/contracts'
import { BrokerUnavailable, type Queue, type QueueAdmin } from '@gateway/messaging'
import type { Log } from '@gateway/service-kit'
import { retirementOf, type Retirement, type RetirementTimes } from '../domain/queue-retirement.ts'
import type { DelayQueue, DelayQueues } from '../persistence/delay-queues.ts'

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
    return { name: known.queue.name, lastUsedAt: known.inUseAt, messages: messages ?? 0, retirement, done: 'nothing' }
  }

  async function step(known: DelayQueue): Promise<RetiredQueue> {
    const seen = await inspect(known)
    const { stage } = seen.retirement
    if (stage === 'bound' && (await delayQueues.cutOff(known, now()))) {
      await admin.unbind(known.queue)
      await restoreIfUsed(known)
      return { ...(await inspect({ ...known, cutOffAt: now() })), done: 'cut_off' }
    }
    if (stage === 'removable' && (await delayQueues.cutOff(known, now()))) {
      await admin.remove(known.queue.name)
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
