import type { Payment, ScheduledCallback } from './payment.ts'

export interface Claim {
  readonly payment: Payment
  readonly callbacks: readonly ScheduledCallback[]
}

/** A claimed callback becomes due again after this time, in case its sender died. Longer than the timeout of a POST. */
export const CLAIM_MS = 10_000
const MAX_TRIES = 20
const FIRST_RETRY_MS = 200
const MAX_RETRY_MS = 60_000
/** Polls of an order that must reach a final status first: how many at most, and the first and longest pause between them. */
const MAX_POLLS = 400
const FIRST_POLL_MS = 500
const MAX_POLL_MS = 30_000

/** When the payment's next callback is due; `null` when none is left. */
export function nextDueAt({ callbacks }: Pick<Payment, 'callbacks'>): Date | null {
  const times = callbacks.filter((callback) => isReady(callback, callbacks)).map((callback) => callback.due_at.getTime())
  return times.length === 0 ? null : new Date(Math.min(...times))
}

/** Claims all due callbacks. The returned payment must be saved before any of them is sent. */
export function claimDue(payment: Payment, now: Date): Claim {
  const due = payment.callbacks.filter((callback) => isReady(callback, payment.callbacks) && callback.due_at <= now)
  const leased = due.map((callback) => ({ ...callback, due_at: new Date(now.getTime() + CLAIM_MS) }))
  const settling = due.find((callback) => callback.settles && !callback.waits_for_final)
  return {
    payment: {
      ...payment,
      outcome: settling?.outcome ?? payment.outcome,
      callbacks: payment.callbacks.map((callback) => leased.find(({ id }) => id === callback.id) ?? callback),
    },
    callbacks: leased,
  }
}

export type SendResult = 'acknowledged' | 'not_acknowledged' | 'order_not_final_yet' | 'order_is_final'

/** The payment with the results of its claimed callbacks. A result for an unknown callback has no effect. */
export function recordResults(payment: Payment, results: ReadonlyMap<string, SendResult>, now: Date): Payment {
  return { ...payment, callbacks: payment.callbacks.map((callback) => recordResult(callback, results.get(callback.id), now)) }
}

/**
 * As `recordResults`, for a payment that was read again: results that are already recorded are skipped. Returns the same object
 * when nothing is missing.
 */
export function recordMissing(
  payment: Payment,
  claimed: readonly ScheduledCallback[],
  results: ReadonlyMap<string, SendResult>,
  now: Date,
): Payment {
  const isMissing = ({ id, tries, waits_for_final }: ScheduledCallback): boolean =>
    payment.callbacks.some(
      (callback) =>
        callback.id === id &&
        callback.state === 'scheduled' &&
        // An acknowledgement counts even when a later try was recorded meanwhile.
        (results.get(id) === 'acknowledged' || (callback.tries === tries && callback.waits_for_final === waits_for_final)),
    )
  const missing = claimed.filter(isMissing).map(({ id }) => id)
  if (missing.length === 0) return payment
  return recordResults(payment, new Map([...results].filter(([id]) => missing.includes(id))), now)
}

function recordResult(callback: ScheduledCallback, result: SendResult | undefined, now: Date): ScheduledCallback {
  if (result === undefined || callback.state !== 'scheduled') return callback
  const tries = callback.tries + 1
  const later = (delayMs: number): Date => new Date(now.getTime() + delayMs)
  switch (result) {
    case 'acknowledged':
      return { ...callback, tries, state: 'acknowledged' }
    case 'not_acknowledged':
      return tries >= MAX_TRIES
        ? { ...callback, tries, state: 'given_up' }
        : { ...callback, tries, due_at: later(retryDelayMs(tries)) }
    case 'order_not_final_yet':
      // After the last poll the callback is sent, so that an order that never ends does not block it.
      return tries >= MAX_POLLS
        ? { ...callback, tries: 0, waits_for_final: false, due_at: now }
        : { ...callback, tries, due_at: later(Math.min(FIRST_POLL_MS * 1.05 ** tries, MAX_POLL_MS)) }
    case 'order_is_final':
      return { ...callback, tries: 0, waits_for_final: false, due_at: now }
  }
}

/** The pause after the n-th try without a 200, in milliseconds: doubles from 200 to 60,000, about twelve minutes in total. */
export function retryDelayMs(tries: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** (tries - 1), MAX_RETRY_MS)
}

function isReady(callback: ScheduledCallback, all: readonly ScheduledCallback[]): boolean {
  if (callback.state !== 'scheduled') return false
  return !all.some((other) => other.id === callback.after && other.state === 'scheduled')
}
