import fc from 'fast-check'
import { claimDue, nextDueAt, recordResults, type SendResult } from './callback.ts'
import { UPI_SCENARIOS, upiBehaviour, type UpiScenario } from './instruments.ts'
import { reportOf, type Payment } from './payment.ts'
import { planFor, SLOW_MS, type PaymentPlan } from './plan.ts'

const noon = new Date('2026-01-01T12:00:00Z')
const expiresAt = new Date('2026-01-01T12:20:00Z')
const plansOf = (scenario: UpiScenario, amountPaise = 49_900): readonly PaymentPlan[] =>
  planFor(scenario, noon, { amountPaise, expiresAt })

const paymentOf = (plan: PaymentPlan, index = 0): Payment => ({
  reference: `SIM${index}`,
  tr: 'T1',
  method: 'upi',
  rrn: '123456789012',
  payer: { name: 'Asha Sandbox', vpa: 'success@sandbox' },
  instrument: null,
  start: null,
  page: null,
  reversal_behaviour: 'at_once',
  ...{ refunds: [], refund_behaviour: 'at_once', unclear: null },
  reversal: null,
  version: 1,
  created_at: noon,
  ...plan,
})

interface Sent {
  readonly outcome: string
  readonly messageId: string
  readonly atMs: number
}

/** Runs a payment to its end, with a receiver that acknowledges every callback and an order that is final after its expiry. */
function playToTheEnd(start: Payment): { payment: Payment; rounds: Sent[][] } {
  let payment = start
  const rounds: Sent[][] = []
  for (let due = nextDueAt(payment); due !== null; due = nextDueAt(payment)) {
    const now = due
    const claim = claimDue(payment, now)
    const results = new Map<string, SendResult>(
      claim.callbacks.map(({ id, waits_for_final }) => [id, waits_for_final ? 'order_is_final' : 'acknowledged']),
    )
    const sent = claim.callbacks.filter(({ waits_for_final }) => !waits_for_final)
    if (sent.length > 0) {
      rounds.push(
        sent.map(({ outcome, message_id: messageId }) => ({ outcome, messageId, atMs: now.getTime() - noon.getTime() })),
      )
    }
    payment = recordResults(claim.payment, results, now)
    if (rounds.length > 20) throw new Error('the plan never ends')
  }
  return { payment, rounds }
}

const reported = (plan: PaymentPlan): string[][] =>
  playToTheEnd(paymentOf(plan)).rounds.map((round) => round.map((sent) => sent.outcome))

test.each([
  ['success', [[['success']]]],
  ['failure', [[['failed']]]],
  ['slow', [[['pending'], ['success']]]],
  ['pending', [[['pending']]]],
  ['duplicate', [[['success', 'success', 'success'], ['success'], ['success']]]],
  ['reordered', [[['success'], ['pending']]]],
  ['mismatch', [[['success']]]],
  ['late', [[['success']]]],
  ['silent', [[]]],
  ['twice', [[['success']], [['success']]]],
] as const)('%s reports as documented', (scenario, expected) => {
  expect(plansOf(scenario).map(reported)).toEqual(expected)
})

test.each([
  ['success', 'success'],
  ['failure', 'failed'],
  ['slow', 'pending'],
  ['pending', 'pending'],
  ['duplicate', 'success'],
  ['reordered', 'success'],
  ['mismatch', 'success'],
  ['late', 'failed'],
  ['silent', 'success'],
  ['twice', 'success'],
] as const)('an enquiry right after %s says %s', (scenario, outcome) => {
  expect(new Set(plansOf(scenario).map((plan) => plan.outcome))).toEqual(new Set([outcome]))
})

test('slow succeeds after three seconds, late at the end of the order and not before', () => {
  const timesOf = (scenario: UpiScenario) =>
    plansOf(scenario).map((plan) => playToTheEnd(paymentOf(plan)).rounds.map(([sent]) => sent?.atMs))
  expect(timesOf('slow')).toEqual([[0, SLOW_MS]])
  expect(timesOf('late')).toEqual([[expiresAt.getTime() - noon.getTime()]])
})

test('five copies are one message, and two captures are two', () => {
  const [duplicate] = plansOf('duplicate')
  const messages = duplicate ? playToTheEnd(paymentOf(duplicate)).rounds.flat() : []
  expect(messages).toHaveLength(5)
  expect(new Set(messages.map(({ messageId }) => messageId)).size).toBe(1)
  expect(plansOf('twice')).toHaveLength(2)
})

test.each([
  [49_900, 49_800],
  [101, 1],
  [100, 200],
  [1, 101],
])('a mismatch of %d paise captures %d', (amountPaise, captured) => {
  expect(plansOf('mismatch', amountPaise).map((plan) => plan.amount_paise)).toEqual([captured])
})

test('in every scenario an enquiry returns each reported success, with its rrn and payer', () => {
  const scenario = fc.constantFrom(...UPI_SCENARIOS)
  fc.assert(
    fc.property(scenario, fc.integer({ min: 1, max: 1_000_000_000 }), (name, amountPaise) => {
      for (const plan of plansOf(name, amountPaise)) {
        const { payment, rounds } = playToTheEnd(paymentOf(plan))
        const succeeded = rounds.flat().some(({ outcome }) => outcome === 'success') || plan.outcome === 'success'
        expect(payment.outcome === 'success').toBe(succeeded)
        if (!succeeded) continue
        expect(reportOf(payment)).toMatchObject({
          outcome: 'success',
          rrn: /^\d{12}$/u.exec(payment.rrn)?.[0],
          payer: payment.payer,
        })
        expect(plan.amount_paise).toBeGreaterThan(0)
      }
    }),
  )
})

test.each([
  ['late@sandbox', { scenario: 'late', reversal: 'at_once', refund: 'at_once' }],
  ['TWICE@sandbox', { scenario: 'twice', reversal: 'at_once', refund: 'at_once' }],
  ['late.refused-reversal@sandbox', { scenario: 'late', reversal: 'refused', refund: 'at_once' }],
  ['twice.slow-reversal@sandbox', { scenario: 'twice', reversal: 'takes_a_while', refund: 'at_once' }],
  ['success.slow-refund@sandbox', { scenario: 'success', reversal: 'at_once', refund: 'slow' }],
  ['twice.refused-refund.slow-reversal@sandbox', { scenario: 'twice', reversal: 'takes_a_while', refund: 'refused' }],
  ['success.unknown-refund@sandbox', { scenario: 'success', reversal: 'at_once', refund: 'at_once' }],
  ['asha.rao@sandbox', { scenario: 'success', reversal: 'at_once', refund: 'at_once' }],
  ['failure@okbank', { scenario: 'success', reversal: 'at_once', refund: 'at_once' }],
])('%s behaves as %j', (vpa, behaviour) => {
  expect(upiBehaviour(vpa)).toEqual(behaviour)
})
