import type { SigningKey } from '@gateway/contracts'
import type { Log } from '@gateway/service-kit'
import {
  type AddressedDelivery,
  type Attempt,
  type AttemptDecision,
  decide,
  type Deliveries,
  type Delivery,
  isAddressed,
  type RetrySchedule,
  withAttempt,
} from '../../deliveries/index.ts'
import type { KnownEndpoint, NoteHealth } from '../../endpoints/index.ts'
import { isAcknowledged, notSigned, type SendWebhook, signedHeaders, wasSent } from '../../sending/index.ts'
import type { InFlightLimit, Priority, Slot } from '../../throttling/index.ts'
import type { RetryPublisher } from '../publishing/retry-publisher.ts'
import type { Claims, Lease } from './claims.ts'

/** Counts attempts and outcomes, for metrics. */
export interface DeliveryObserver {
  attempted(attempt: Attempt): void
  /** @param afterMs time since the status changed */
  acknowledged(afterMs: number): void
  settled(kind: AttemptDecision['kind'] | 'no_endpoint' | 'endpoint_disabled'): void
}

/** The right to one exchange with an endpoint, for the message that triggered it. */
export interface Permit {
  readonly known: KnownEndpoint
  /** The URL that the slot is for. A resend may have changed the URL of the delivery since. */
  readonly url: string
  readonly slot: Slot
  readonly priority: Priority
  /** See `Trigger.acknowledge`. */
  readonly acknowledge: () => void
}

export type Exchanges = ReturnType<typeof createExchanges>

export interface ExchangesOptions {
  readonly send: SendWebhook
  readonly deliveries: Pick<Deliveries, 'insert' | 'claim' | 'record'>
  readonly retries: Pick<RetryPublisher, 'publishAfter' | 'publishNow'>
  readonly claims: Claims
  readonly schedule: RetrySchedule
  readonly isSlow: IsSlow
  readonly noteHealth: NoteHealth
  readonly observer: DeliveryObserver
  readonly log: Log
  readonly now: () => Date
}

/**
 * One attempt: POST → record → publish the retry (design, section 6). First attempts and retries differ only in the record. The slot of
 * the permit is released in any case.
 */
export function createExchanges(options: ExchangesOptions) {
  const { deliveries, retries, claims, schedule, isSlow, noteHealth, observer, log, now } = options

  return {
    /** Sends, then inserts the finished record: for an event that was published once. */
    sendThenInsert: (delivery: AddressedDelivery, permit: Permit) =>
      exchange(delivery, permit, undefined).finally(() => permit.slot.release()),

    /** Claims the record by `store`, then sends; sends nothing when another replica has the attempt. */
    async claimThenSend(store: (lease: Lease) => Promise<Delivery | undefined>, permit: Permit): Promise<void> {
      try {
        const held = await claims.claim(store)
        if (held && isAddressed(held.delivery)) await exchange(held.delivery, permit, held.lease)
      } finally {
        permit.slot.release()
      }
    },
  }

  /** @param held the lease of a record that is claimed already */
  async function exchange(delivery: AddressedDelivery, permit: Permit, held: Lease | undefined): Promise<void> {
    const { known, url, slot, priority, acknowledge } = permit
    const posting = post(delivery, known.signingKeys(now()), options).then((attempt) => {
      // At once, also while the record of a slow exchange is being stored. For another URL the result says nothing about this endpoint.
      slot.release(delivery.url === url && wasSent(attempt) ? attempt : undefined)
      return attempt
    })
    let lease = held
    if (await isSlow(posting, priority)) {
      lease ??= await leaseOf(delivery)
      if (lease) acknowledge()
    }
    const attempt = await posting
    const decision = decide(attempt, delivery.round_start, schedule, now())
    const finished = withAttempt(delivery, attempt, decision)
    if (lease) await record(delivery, attempt, decision, lease)
    else if (await deliveries.insert(finished)) await follow(finished, decision)
    else await recordOver(delivery, attempt, decision)
    await noteHealth(known.endpoint, delivery.url, attempt)
  }

  /** Stores a record with a claim while the exchange goes on, so that its message need not be kept. */
  async function leaseOf(delivery: Delivery): Promise<Lease | undefined> {
    try {
      const claimed = await claims.claim(async ({ until }) => ((await deliveries.insert(delivery, until)) ? delivery : undefined))
      return claimed?.lease
    } catch {
      // The database is away: the message stays.
      return undefined
    }
  }

  /** Records the attempt over its claim, then makes the next step. */
  async function record(delivery: Delivery, attempt: Attempt, decision: AttemptDecision, { until }: Lease): Promise<void> {
    const recorded = await deliveries.record(delivery, attempt, decision, { now: now(), claimedUntil: until })
    const after = { ...delivery, attempt_count: attempt.number }
    if (recorded === 'recorded') await follow(after, decision)
    else if (recorded === 'lost') {
      log.warn('attempt recorded or claimed by another replica', { delivery: delivery.id, attempt: attempt.number })
    } else {
      // The message must name the new URL: its consumer looks at the breaker and the health of the URL in the message.
      await retries.publishNow({ ...after, url: recorded.resendTo })
    }
  }

  /**
   * Another consumer has inserted a record. Its result counts; a failure is recorded only if that consumer died before. So it is when
   * `leaseOf` got no answer for a record that was stored: then the sweep repeats the attempt.
   */
  async function recordOver(delivery: Delivery, attempt: Attempt, decision: AttemptDecision): Promise<void> {
    const lease = claims.lease()
    const claimed = await deliveries.claim(delivery, attempt.number, lease)
    if (claimed !== undefined || isAcknowledged(attempt)) await record(claimed ?? delivery, attempt, decision, lease)
  }

  /** After the record: counts, and publishes the retry and waits for its confirm. */
  async function follow(delivery: Delivery, decision: AttemptDecision): Promise<void> {
    observer.settled(decision.kind)
    if (decision.kind === 'delivered') observer.acknowledged(now().getTime() - delivery.occurred_at.getTime())
    if (decision.kind === 'dead') log.warn('delivery dead', { delivery: delivery.id, reason: decision.state.reason })
    if (decision.kind === 'retry') await retries.publishAfter(delivery, decision.delayMs)
  }
}

/** Sends the next attempt. Without keys nothing is sent, and the attempt fails with `not_signed`. */
async function post(
  delivery: AddressedDelivery,
  keys: readonly SigningKey[],
  { send, observer, log, now }: ExchangesOptions,
): Promise<Attempt> {
  const { id, url, body, sequence, merchant_id: merchant } = delivery
  const number = delivery.attempt_count + 1
  const headersOf = (at: Date) => signedHeaders({ webhookId: id, attempt: number, sequence, body, keys, at })
  const result = keys.length === 0 ? notSigned(now()) : await send({ url, headers: headersOf(now()), body })
  const attempt = { ...result, number }
  observer.attempted(attempt)
  if (!wasSent(attempt)) log.error('signing secret cannot be opened', { merchant, delivery: id })
  const { status_code, error, duration_ms, retry_after_ms } = attempt
  log.info('webhook attempt', { delivery: id, attempt: number, status_code, error, duration_ms, retry_after_ms })
  return attempt
}

/**
 * Resolves to true when an exchange takes long and there is room for others, to false when it is over before that. Then its message
 * should be acknowledged at once, as soon as a record keeps the delivery: the broker settles messages in their order, and behind one
 * that is kept for seconds each later one costs it a command of its own.
 */
export type IsSlow = (exchange: Promise<unknown>, priority: Priority) => Promise<boolean>

/** Without room a slow exchange keeps its message, which holds back others that would find no slot. */
export function makeIsSlow({ slowAfterMs, limit }: { slowAfterMs: number; limit: Pick<InFlightLimit, 'hasRoom'> }): IsSlow {
  return (exchange, priority) =>
    new Promise((resolve) => {
      const ask = (): void => {
        if (limit.hasRoom(priority)) resolve(true)
        else timer = setTimeout(ask, slowAfterMs)
      }
      let timer = setTimeout(ask, slowAfterMs)
      const end = (): void => {
        clearTimeout(timer)
        resolve(false)
      }
      exchange.then(end, end)
    })
}
