import { assertNever, type FailureReason, type NetworkOutcome, type SimulatedOutcome } from '@gateway/contracts'
import type { AnsweringBehaviour, UpiScenario } from './instruments.ts'
import type { ScheduledCallback, UnclearEnquiries } from './payment.ts'

/** What one payment does: its first outcome, and its callbacks with their times. */
export interface PaymentPlan {
  readonly outcome: NetworkOutcome
  readonly amount_paise: number
  readonly failure_reason: string | null
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

/** The payments of a scenario, with their callbacks. An enquiry eventually returns every capture. */
export function planFor(scenario: UpiScenario, now: Date, { amountPaise, expiresAt }: PlanInput): readonly PaymentPlan[] {
  const plan = (outcome: NetworkOutcome, callbacks: readonly ScheduledCallback[], paise = amountPaise): PaymentPlan => ({
    outcome,
    amount_paise: paise,
    failure_reason: 'insufficient funds',
    callbacks,
  })
  const [success, pending] = [callbackOf('success', now), callbackOf('pending', now)]
  const paid = plan('success', [success])
  const plans: Readonly<Record<UpiScenario, readonly PaymentPlan[]>> = {
    success: [paid],
    failure: [plan('failed', [callbackOf('failed', now)])],
    slow: [plan('pending', slowCallbacks(now))],
    pending: [plan('pending', [pending])],
    duplicate: [plan('success', copiesOf(success))],
    reordered: [plan('success', [success, { ...pending, after: success.id }])],
    mismatch: [plan('success', [success], wrongAmount(amountPaise))],
    late: [plan('failed', [{ ...success, settles: true, waits_for_final: true, due_at: expiresAt ?? now }])],
    silent: [plan('success', [])],
    twice: [paid, paid],
  }
  return plans[scenario]
}

/** Failure reason of a payment whose page was not used in time: one of the gateway's own reasons. */
const PAGE_TIMED_OUT: FailureReason = 'expired'

/** The payment of a card or a bank. */
export function planForInstrument(
  behaviour: AnsweringBehaviour,
  now: Date,
  { amountPaise, expiresAt }: PlanInput & { readonly expiresAt: Date },
): PaymentPlan {
  switch (behaviour.kind) {
    case 'page': {
      // A decision of the shopper replaces this planned timeout.
      const timedOut = { ...callbackOf('failed', expiresAt, 'failed-timed-out'), settles: true }
      return { outcome: 'pending', amount_paise: amountPaise, failure_reason: PAGE_TIMED_OUT, callbacks: [timedOut] }
    }
    case 'slow':
      return { outcome: 'pending', amount_paise: amountPaise, failure_reason: null, callbacks: slowCallbacks(now) }
    case 'decided': {
      const { outcome, reason: failure_reason } = behaviour
      return { outcome, amount_paise: amountPaise, failure_reason, callbacks: [callbackOf(outcome, now)] }
    }
    default:
      return assertNever(behaviour)
  }
}

/** Options of a simulation request, besides the outcome. */
export interface SimulationOptions {
  /** Delay until the outcome; for `late_success` counted from the end of the order. */
  readonly delayMs: number
  /** How many more times the outcome is reported. */
  readonly duplicates: number
  /** True: pending is reported after the outcome. */
  readonly reorder: boolean
}

/** The scenario of each outcome; `null` when no payment is made. */
const SCENARIOS: Readonly<Record<SimulatedOutcome, UpiScenario | null>> = {
  success: 'success',
  failure: 'failure',
  pending: 'pending',
  expire: null,
  late_success: 'late',
  amount_mismatch: 'mismatch',
  network_timeout: 'silent',
}

/** How many enquiries about a `network_timeout` payment get no answer before one returns the success. */
export const UNCLEAR_ENQUIRIES = 2

/** The payment of an outcome; `undefined` when none is made. Outcomes without a report ignore `duplicates` and `reorder`. */
export function planForOutcome(
  outcome: SimulatedOutcome,
  { delayMs, duplicates, reorder }: SimulationOptions,
  now: Date,
  input: PlanInput,
): PaymentPlan | undefined {
  const scenario = SCENARIOS[outcome]
  const [plan] = scenario === null ? [] : planFor(scenario, now, input)
  const [reported] = plan?.callbacks ?? []
  if (!plan || !reported) return plan

  const last: ScheduledCallback = { ...reported, due_at: new Date(reported.due_at.getTime() + delayMs) }
  if (last.outcome === 'pending') return { ...plan, callbacks: withCopies(last, duplicates) }
  const after = reorder ? [{ ...callbackOf('pending', last.due_at), after: last.id }] : []
  // An enquiry returns a failure before a late success, so pending is not reported first.
  if (delayMs === 0 || outcome === 'late_success') return { ...plan, callbacks: [...withCopies(last, duplicates), ...after] }

  const before = reorder ? [] : [callbackOf('pending', now)]
  return { ...plan, outcome: 'pending', callbacks: [...before, ...withCopies({ ...last, settles: true }, duplicates), ...after] }
}

/** Which enquiries about the payment of an outcome get no answer; `null` when all get one. */
export function unclearFor(outcome: SimulatedOutcome, { delayMs }: SimulationOptions, now: Date): UnclearEnquiries | null {
  return outcome === 'network_timeout' ? { left: UNCLEAR_ENQUIRIES, until: new Date(now.getTime() + delayMs) } : null
}

/** The callback with its copies, which all become due when the first is acknowledged. */
function withCopies(callback: ScheduledCallback, duplicates: number): ScheduledCallback[] {
  const copies = Array.from({ length: duplicates }, (_, index) => ({
    ...callback,
    id: `${callback.id}-${index + 2}`,
    after: callback.id,
    settles: false,
    waits_for_final: false,
  }))
  return [callback, ...copies]
}

/** A callback with default settings. `id` must be unique within its payment. */
export function callbackOf(outcome: NetworkOutcome, dueAt: Date, id: string = outcome): ScheduledCallback {
  const usual = { settles: false, after: null, waits_for_final: false, tries: 0, state: 'scheduled' } as const
  return { id, message_id: id, outcome, due_at: dueAt, ...usual }
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
