import type { SimulatedOutcome } from '@gateway/contracts'
import type { ScheduledCallback } from './scheduled-callback.ts'
import type { UpiScenario } from './upi-scenarios.ts'
import type { UnclearEnquiries } from './payment.ts'
import { callbackOf, planFor, type PlanInput, type PaymentPlan } from './plan.ts'

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

  const last: ScheduledCallback = { ...reported, dueAt: new Date(reported.dueAt.getTime() + delayMs) }
  if (last.outcome === 'pending') return { ...plan, callbacks: withCopies(last, duplicates) }
  const after = reorder ? [{ ...callbackOf('pending', last.dueAt), after: last.id }] : []
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
    waitsForFinal: false,
  }))
  return [callback, ...copies]
}
