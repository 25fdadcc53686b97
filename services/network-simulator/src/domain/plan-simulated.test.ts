import { SIMULATED_OUTCOMES, type SimulatedOutcome } from '@gateway/contracts'
import { claimDue, nextDueAt, recordResults, type SendResult } from './callback.ts'
import { countUnclear, isUnclear, type Payment } from './payment.ts'
import { planForOutcome, UNCLEAR_ENQUIRIES, unclearFor, type SimulationOptions } from './plan.ts'

const noon = new Date('2026-01-01T12:00:00Z')
const expiresAt = new Date('2026-01-01T12:20:00Z')
const none: SimulationOptions = { delayMs: 0, duplicates: 0, reorder: false }
const END_MS = expiresAt.getTime() - noon.getTime()

function paymentOf(outcome: SimulatedOutcome, options: Partial<SimulationOptions> = {}): Payment | undefined {
  const all = { ...none, ...options }
  const plan = planForOutcome(outcome, all, noon, { amountPaise: 49_900, expiresAt })
  const unclear = unclearFor(outcome, all, noon)
  return (
    plan && {
      reference: 'SIM1',
      tr: 'T1',
      method: 'upi',
      rrn: '123456789012',
      payer: null,
      instrument: null,
      start: null,
      page: null,
      reversal_behaviour: 'at_once',
      ...{ refunds: [], refund_behaviour: 'at_once' },
      reversal: null,
      version: 1,
      created_at: noon,
      unclear,
      ...plan,
    }
  )
}

/** The reports in order, with their times; the receiver acknowledges every callback, and the order is final after its expiry. */
function reportsOf(
  outcome: SimulatedOutcome,
  options: Partial<SimulationOptions> = {},
): [outcome: string, atMs: number, messageId: string][] {
  let payment = paymentOf(outcome, options)
  const reports: [string, number, string][] = []
  for (let due = payment && nextDueAt(payment); payment && due; due = nextDueAt(payment)) {
    const now = due
    const claim = claimDue(payment, now)
    for (const { waits_for_final, ...sent } of claim.callbacks)
      if (!waits_for_final) reports.push([sent.outcome, now.getTime() - noon.getTime(), sent.message_id])
    const result = (waits: boolean): SendResult => (waits ? 'order_is_final' : 'acknowledged')
    payment = recordResults(claim.payment, new Map(claim.callbacks.map((sent) => [sent.id, result(sent.waits_for_final)])), now)
    if (reports.length > 30) throw new Error('the plan never ends')
  }
  return reports
}
const timesOf = (outcome: SimulatedOutcome, options: Partial<SimulationOptions> = {}) =>
  reportsOf(outcome, options).map(([reported, atMs]) => [reported, atMs])

test.each<[SimulatedOutcome, Partial<SimulationOptions>, [string, number][]]>([
  ['success', {}, [['success', 0]]],
  ['failure', {}, [['failed', 0]]],
  ['pending', {}, [['pending', 0]]],
  ['amount_mismatch', {}, [['success', 0]]],
  ['late_success', {}, [['success', END_MS]]],
  ['network_timeout', {}, []],
  [
    'success',
    { delayMs: 700 },
    [
      ['pending', 0],
      ['success', 700],
    ],
  ],
  [
    'failure',
    { delayMs: 700 },
    [
      ['pending', 0],
      ['failed', 700],
    ],
  ],
  ['pending', { delayMs: 700 }, [['pending', 700]]],
  ['late_success', { delayMs: 700 }, [['success', END_MS + 700]]],
  ['network_timeout', { delayMs: 700, duplicates: 3, reorder: true }, []],
  [
    'success',
    { reorder: true },
    [
      ['success', 0],
      ['pending', 0],
    ],
  ],
  [
    'failure',
    { reorder: true, delayMs: 700 },
    [
      ['failed', 700],
      ['pending', 700],
    ],
  ],
])('%s with %j reports %j', (outcome, options, expected) => {
  expect(timesOf(outcome, options)).toEqual(expected)
})

test('expire makes no payment', () => {
  expect(paymentOf('expire', { delayMs: 5, duplicates: 5, reorder: true })).toBeUndefined()
})

test.each(['success', 'failure', 'amount_mismatch', 'late_success', 'pending'] as const)(
  '%s with ten duplicates is one message, sent eleven times',
  (outcome) => {
    for (const options of [{}, { delayMs: 700 }, { reorder: true }]) {
      const [last] = reportsOf(outcome).slice(-1)
      const same = reportsOf(outcome, { ...options, duplicates: 10 }).filter(([, , messageId]) => messageId === last?.[2])
      expect(same).toHaveLength(11)
      expect(new Set(same.map(([reported]) => reported))).toEqual(new Set([last?.[0]]))
    }
  },
)

test.each([
  ['success', 0, 'success'],
  ['success', 700, 'pending'],
  ['failure', 0, 'failed'],
  ['failure', 700, 'pending'],
  ['amount_mismatch', 700, 'pending'],
  ['late_success', 700, 'failed'],
  ['network_timeout', 700, 'success'],
] as const)('right after %s with a delay of %d ms the payment is %s', (outcome, delayMs, expected) => {
  expect(paymentOf(outcome, { delayMs })?.outcome).toBe(expected)
})

test('a delayed payment settles with its first report, and once', () => {
  const delayed = paymentOf('success', { delayMs: 700, duplicates: 2 })
  if (!delayed) throw new Error('success makes a payment')
  expect(claimDue(delayed, new Date(noon.getTime() + 699)).payment.outcome).toBe('pending')
  expect(claimDue(delayed, new Date(noon.getTime() + 700)).payment.outcome).toBe('success')
  expect(delayed.callbacks.filter(({ settles }) => settles)).toHaveLength(1)
})

test('only network_timeout leaves enquiries unanswered: two of them, and all until its delay is over', () => {
  const unclear = SIMULATED_OUTCOMES.filter((outcome) => unclearFor(outcome, none, noon) !== null)
  expect(unclear).toEqual(['network_timeout'])

  let payment = paymentOf('network_timeout', { delayMs: 700 })
  for (let asked = 0; asked < UNCLEAR_ENQUIRIES; asked++) {
    if (!payment) throw new Error('network_timeout makes a payment')
    expect(isUnclear(payment, new Date(noon.getTime() + 60_000))).toBe(true)
    payment = countUnclear(payment)
  }
  if (!payment) throw new Error('network_timeout makes a payment')
  expect(isUnclear(payment, new Date(noon.getTime() + 699))).toBe(true)
  expect(isUnclear(payment, new Date(noon.getTime() + 700))).toBe(false)
  expect(countUnclear(payment)).toBe(payment)
})
