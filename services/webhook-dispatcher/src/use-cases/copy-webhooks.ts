import { COPY_TTL_MS } from '../domain/copy.ts'
import type { Copies } from '../persistence/copies.ts'
import type { RecordedWebhook, RecordedWebhooks } from '../persistence/recorded-webhooks.ts'

/** The copying of one merchant's webhooks, for one session. */
export interface Copying {
  /** Copies the webhooks that were recorded since the last call; false when there were none. */
  copyNew(): Promise<boolean>
  /** Every webhook that was created before this has its copy. */
  readonly completeUntil: Date
}

/** @param since webhooks created before this are not copied */
export type CopyWebhooks = (merchantId: string, since: Date) => Copying

export interface CopyWebhooksOptions {
  readonly recordedWebhooks: RecordedWebhooks
  readonly copies: Pick<Copies, 'append'>
  /** A record can become visible this long after the time of creation that it names. */
  readonly lookBackMs: number
  /** Webhooks that one read brings. */
  readonly maxRead: number
  readonly now: () => Date
}

/** Webhooks near the end of this age are left out: their copies may be removed already, and must not come again. */
const MAX_AGE_MS = COPY_TTL_MS - 60_000
/** A merchant with many webhooks takes a fifth of a connection's time at most. */
const REST_FACTOR = 4

/**
 * Makes copies from the records of webhooks, and only while somebody listens: so they cost the path of a payment nothing. Every call
 * begins `lookBackMs` before the last one, because records become visible in another order than that of their creation.
 */
export function makeCopyWebhooks({ recordedWebhooks, copies, lookBackMs, maxRead, now }: CopyWebhooksOptions): CopyWebhooks {
  return (merchantId, since) => {
    let completeUntil = since
    let restUntilMs = 0
    /** The last read: most webhooks of the next one are among them. */
    let lastRead: readonly RecordedWebhook[] = []

    /** Copies the new ones among the next webhooks; false when there were none. */
    async function copyNext(from: Date, after?: RecordedWebhook): Promise<boolean> {
      const known = new Set(lastRead.map(({ id }) => id))
      const read = await recordedWebhooks.ids(merchantId, from, after, maxRead)
      const added = read.flatMap(({ id }) => (known.has(id) ? [] : [id]))
      if (added.length > 0) await copies.append(await recordedWebhooks.copiesOf(added), now())
      lastRead = read
      return added.length > 0
    }

    return {
      async copyNew() {
        const startedAt = now()
        if (startedAt.getTime() < restUntilMs) return false
        const from = laterOf(completeUntil, earlier(startedAt, MAX_AGE_MS))
        let hasCopied = await copyNext(from)
        while (lastRead.length === maxRead) hasCopied = (await copyNext(from, lastRead.at(-1))) || hasCopied
        completeUntil = laterOf(completeUntil, earlier(startedAt, lookBackMs))
        restUntilMs = now().getTime() + REST_FACTOR * (now().getTime() - startedAt.getTime())
        return hasCopied
      },
      get completeUntil() {
        return completeUntil
      },
    }
  }
}

/** The instant so many milliseconds before. */
export function earlier(instant: Date, ms: number): Date {
  return new Date(instant.getTime() - ms)
}

function laterOf(one: Date, other: Date): Date {
  return one > other ? one : other
}
