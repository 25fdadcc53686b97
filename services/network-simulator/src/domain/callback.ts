import type { NetworkOutcome } from '@gateway/contracts'
import type { Payment } from './payment.ts'

export const CALLBACK_STATES = ['scheduled', 'acknowledged', 'given_up'] as const

/** A callback that is to be sent; it lives in its payment, so that the two cannot be lost apart. */
export interface ScheduledCallback {
  readonly id: string
  /** The `webhook-id`; copies of one callback share it. */
  readonly messageId: string
  /** What it reports. */
  readonly outcome: NetworkOutcome
  /** The payment takes this outcome when the callback becomes due, before it is sent. */
  readonly settles: boolean
  /** Sent only after that other callback was acknowledged (or given up). */
  readonly after: string | null
  /** Sent only once the gateway shows the transaction in a final status. */
  readonly waitsForFinal: boolean
  readonly dueAt: Date
  readonly tries: number
  readonly state: (typeof CALLBACK_STATES)[number]
}

export interface Claim {
  readonly payment: Payment
  readonly callbacks: readonly ScheduledCallback[]
}

/** A claimed callback comes due again after this, should its sender die. Longer than a POST may take. */
export const CLAIM_MS = 10_000
const MAX_TRIES = 20
const FIRST_RETRY_MS = 200
const LONGEST_RETRY_MS = 60_000
/** How often, at most, an order is looked at that has to end first. */
const MAX_LOOKS = 400
const LOOK_EVERY_MS = 500
const LONGEST_LOOK_MS = 30_000

/** When this payment next has something to send; `null` when nothing is left. */
export function nextDueAt({ callbacks }: Pick<Payment, 'callbacks'>): Date | null {
  const times = callbacks.filter((callback) => isReady(callback, callbacks)).map((callback) => callback.dueAt.getTime())
  return times.length === 0 ? null : new Date(Math.min(...times))
}

/** Takes everything that is due; the payment after it must be saved before anything is sent. */
export function claimDue(payment: Payment, now: Date): Claim {
  const due = payment.callbacks.filter((callback) => isReady(callback, payment.callbacks) && callback.dueAt <= now)
  const leased = due.map((callback) => ({ ...callback, dueAt: new Date(now.getTime() + CLAIM_MS) }))
  const settling = due.find((callback) => callback.settles && !callback.waitsForFinal)
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

/** What the payment is after its claimed callbacks were sent, or held back. A result of a callback that is gone has no effect. */
export function recordResults(payment: Payment, results: ReadonlyMap<string, SendResult>, now: Date): Payment {
  return { ...payment, callbacks: payment.callbacks.map((callback) => recordResult(callback, results.get(callback.id), now)) }
}

/**
 * As `recordResults`, of a payment that was read again: what has been recorded of these claimed callbacks already has no second
 * effect, and then the payment is the same.
 */
export function recordMissing(
  payment: Payment,
  claimed: readonly ScheduledCallback[],
  results: ReadonlyMap<string, SendResult>,
  now: Date,
): Payment {
  const isOpen = ({ id, tries, waitsForFinal }: ScheduledCallback): boolean =>
    payment.callbacks.some(
      (callback) =>
        callback.id === id &&
        callback.state === 'scheduled' &&
        // That it was taken stays true, whatever a later try recorded meanwhile.
        (results.get(id) === 'acknowledged' || (callback.tries === tries && callback.waitsForFinal === waitsForFinal)),
    )
  const missing = claimed.filter(isOpen).map(({ id }) => id)
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
        : { ...callback, tries, dueAt: later(retryDelayMs(tries)) }
    case 'order_not_final_yet':
      // An order that never ends must not keep its payment waiting for ever.
      return tries >= MAX_LOOKS
        ? { ...callback, tries: 0, waitsForFinal: false, dueAt: now }
        : { ...callback, tries, dueAt: later(Math.min(LOOK_EVERY_MS * 1.05 ** tries, LONGEST_LOOK_MS)) }
    case 'order_is_final':
      return { ...callback, tries: 0, waitsForFinal: false, dueAt: now }
  }
}

/** The pause after the n-th try without a 200: doubling from 200 ms to a minute, some twelve minutes in all. */
export function retryDelayMs(tries: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** (tries - 1), LONGEST_RETRY_MS)
}

function isReady(callback: ScheduledCallback, all: readonly ScheduledCallback[]): boolean {
  if (callback.state !== 'scheduled') return false
  return !all.some((other) => other.id === callback.after && other.state === 'scheduled')
}
