import { assertNever, type FailureReason, type NetworkOutcome } from '@gateway/contracts'
import type { ScheduledCallback } from './scheduled-callback.ts'
import type { InstrumentBehaviour } from './instruments.ts'
import type { UpiScenario } from './upi-scenarios.ts'

/** What one payment does: its first outcome, and its callbacks with their times. */
export interface PaymentPlan {
  readonly outcome: NetworkOutcome
  readonly amountPaise: number
  readonly failureReason: string | null
  readonly callbacks: readonly ScheduledCallback[]
}

/** The amount and the end of the order that a plan is made for. */
export interface PlanInput {
  readonly amountPaise: number
  /** When the order expires, if known. */
  readonly expiresAt: Date | null
}

export const SLOW_MS = 3000
const COPIES_AT_ONCE = 3
const ONE_RUPEE_PAISE = 100
const INSUFFICIENT_FUNDS = 'insufficient funds'

/** The payments of a scenario, with their callbacks. An enquiry eventually returns every capture. */
export function planFor(scenario: UpiScenario, now: Date, { amountPaise, expiresAt }: PlanInput): readonly PaymentPlan[] {
  const plan = (outcome: NetworkOutcome, callbacks: readonly ScheduledCallback[], paise = amountPaise): PaymentPlan => ({
    outcome,
    amountPaise: paise,
    failureReason: INSUFFICIENT_FUNDS,
    callbacks,
  })
  const success = callbackOf('success', now)
  switch (scenario) {
    case 'success':
      return [plan('success', [success])]
    case 'failure':
      return [plan('failed', [callbackOf('failed', now)])]
    case 'slow':
      return [plan('pending', slowCallbacks(now))]
    case 'pending':
      return [plan('pending', [callbackOf('pending', now)])]
    case 'duplicate':
      return [plan('success', copiesOf(success))]
    case 'reordered':
      return [plan('success', [success, { ...callbackOf('pending', now), after: success.id }])]
    case 'mismatch':
      return [plan('success', [success], wrongAmount(amountPaise))]
    case 'late':
      return [plan('failed', [{ ...success, settles: true, waitsForFinal: true, dueAt: expiresAt ?? now }])]
    case 'silent':
      return [plan('success', [])]
    case 'twice':
      return [plan('success', [success]), plan('success', [success])]
    default:
      return assertNever(scenario)
  }
}

/** Failure reason of a payment whose page was not used in time: one of the gateway's own reasons. */
const PAGE_TIMED_OUT: FailureReason = 'expired'

/** The payment of a card or a bank. */
export function planForInstrument(
  behaviour: Exclude<InstrumentBehaviour, { kind: 'down' }>,
  now: Date,
  { amountPaise, expiresAt }: { readonly amountPaise: number; readonly expiresAt: Date },
): PaymentPlan {
  switch (behaviour.kind) {
    case 'page': {
      // A decision of the shopper replaces this planned timeout.
      const timedOut = { ...callbackOf('failed', expiresAt, 'failed-timed-out'), settles: true }
      return { outcome: 'pending', amountPaise, failureReason: PAGE_TIMED_OUT, callbacks: [timedOut] }
    }
    case 'slow':
      return { outcome: 'pending', amountPaise, failureReason: null, callbacks: slowCallbacks(now) }
    case 'decided':
      return {
        outcome: behaviour.outcome,
        amountPaise,
        failureReason: behaviour.reason,
        callbacks: [callbackOf(behaviour.outcome, now)],
      }
    default:
      return assertNever(behaviour)
  }
}

/** A callback with default settings. `id` must be unique within its payment. */
export function callbackOf(outcome: NetworkOutcome, dueAt: Date, id: string = outcome): ScheduledCallback {
  return {
    id,
    messageId: id,
    outcome,
    settles: false,
    after: null,
    waitsForFinal: false,
    dueAt,
    tries: 0,
    state: 'scheduled',
  }
}

function slowCallbacks(now: Date): ScheduledCallback[] {
  const later = new Date(now.getTime() + SLOW_MS)
  return [callbackOf('pending', now), { ...callbackOf('success', later), settles: true }]
}

/** The same message five times: three at once, then two more, each after the previous one. */
export function copiesOf(callback: ScheduledCallback): ScheduledCallback[] {
  return [1, 2, 3, 4, 5].map((copy) => ({
    ...callback,
    id: `${callback.id}-${copy}`,
    after: copy <= COPIES_AT_ONCE ? null : `${callback.id}-${copy - 1}`,
  }))
}

function wrongAmount(amountPaise: number): number {
  return amountPaise > ONE_RUPEE_PAISE ? amountPaise - ONE_RUPEE_PAISE : amountPaise + ONE_RUPEE_PAISE
}
