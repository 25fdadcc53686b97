import { createBatcher } from '@gateway/service-kit'
import { COPY_TTL_MS, earlier } from '../domain/copy.ts'
import type { Copies } from '../persistence/copies.ts'
import type { DeliveryReadModel } from '../../deliveries/index.ts'

/** The copying of one merchant's webhooks, for one session. */
export interface Copying {
  /**
   * Copies webhooks that were recorded since the last call, at most those of one range of time. `mayHaveCopied`: there may be copies
   * to send. `isComplete`: false when the next range can be copied now. Throws `contention`.
   */
  readonly copyNext: () => Promise<{ readonly mayHaveCopied: boolean; readonly isComplete: boolean }>
  /** The merchant's webhooks that were created from `since` up to here have their copies. */
  readonly completeUntil: Date
}

/** @param since webhooks created before this are not copied */
export type CopyWebhooks = (merchantId: string, since: Date) => Copying

export interface CopyWebhooksOptions {
  readonly readModel: Pick<DeliveryReadModel, 'webhookIds' | 'webhooks'>
  readonly copies: Pick<Copies, 'missing' | 'append'>
  /** A record becomes visible at most this long after the time of creation that it names. */
  readonly lookBackMs: number
  readonly now: () => Date
}

/** The webhooks of one read, by the time of their creation. FerretDB sorts a whole range before it cuts it, so ranges must be short. */
const RANGE_MS = 60_000
/** Copies stored by one command. */
const MAX_BATCH_SIZE = 100
/** More than all sessions of a replica can ask for at once. */
const MAX_QUEUED = 100_000
/** The pause after a look at the latest records, compared with its duration. */
const REST_FACTOR = 4
const MAX_REST_MS = 2000

/**
 * Makes copies from the records of webhooks, and only while somebody listens, so payments do no extra work. Each look begins
 * `lookBackMs` before the one before it, because records become visible in another order than that of their creation.
 */
export function makeCopyWebhooks({ readModel, copies, lookBackMs, now }: CopyWebhooksOptions): CopyWebhooks {
  /** One batch at a time for all sessions of this replica, so that they do not compete for positions. */
  const copy = createBatcher<string, undefined>({
    maxBatchSize: MAX_BATCH_SIZE,
    maxQueued: MAX_QUEUED,
    async run(ids) {
      const missing = await copies.missing([...new Set(ids)])
      if (missing.length > 0) await copies.append(await readModel.webhooks(missing), now())
      return ids.map(() => ({ status: 'fulfilled', value: undefined }))
    },
  })

  return (merchantId, since) => {
    let completeUntil = since
    let restUntilMs = 0
    /** The ids of the last read. */
    let known: ReadonlySet<string> = new Set()

    /** False when nothing was recorded in this range since the last read. */
    async function copyRange(from: Date, to: Date | undefined): Promise<boolean> {
      const ids = await readModel.webhookIds(merchantId, from, to)
      const added = ids.filter((id) => !known.has(id))
      for (let first = 0; first < added.length; first += MAX_BATCH_SIZE)
        await Promise.all(added.slice(first, first + MAX_BATCH_SIZE).map((id) => copy(id)))
      known = new Set(ids)
      return added.length > 0
    }

    return {
      async copyNext() {
        const startedAt = now()
        if (startedAt.getTime() < restUntilMs) return { mayHaveCopied: false, isComplete: true }
        const from = laterOf(completeUntil, earlier(startedAt, COPY_TTL_MS))
        const end = new Date(from.getTime() + RANGE_MS)
        const lookBack = earlier(startedAt, lookBackMs)
        const isComplete = end > lookBack
        const mayHaveCopied = await copyRange(from, isComplete ? undefined : end)
        completeUntil = isComplete ? laterOf(completeUntil, lookBack) : end
        const tookMs = now().getTime() - startedAt.getTime()
        if (isComplete) restUntilMs = now().getTime() + Math.min(REST_FACTOR * tookMs, MAX_REST_MS)
        return { mayHaveCopied, isComplete }
      },
      get completeUntil() {
        return completeUntil
      },
    }
  }
}

function laterOf(one: Date, other: Date): Date {
  return one > other ? one : other
}
