import fc from 'fast-check'
import { Refused, refundReport } from '@gateway/contracts'
import { decideReversal } from './decide.ts'
import { decideRefund, REFUND_WINDOW_DAYS, resolveRefund } from './decide-refund.ts'
import type { Payment } from './payment.ts'
import {
  REFUND_BEHAVIOURS,
  REFUND_PAUSE_MS,
  refundAt,
  refundedPaise,
  refundReportOf,
  type RefundBehaviour,
  type RequestedRefund,
} from './refund.ts'

const noon = new Date('2026-01-01T12:00:00Z')
const later = (ms: number) => new Date(noon.getTime() + ms)
const afterPause = later(REFUND_PAUSE_MS)

function captured(fields: Partial<Payment> = {}): Payment {
  return {
    reference: 'SIM1',
    tr: 'T1',
    method: 'upi',
    amount_paise: 49_900,
    outcome: 'success',
    failure_reason: null,
    rrn: '123456789012',
    payer: null,
    instrument: null,
    start: null,
    page: null,
    reversal_behaviour: 'at_once',
    ...{ refunds: [], refund_behaviour: 'at_once', unclear: null },
    reversal: null,
    callbacks: [],
    version: 1,
    created_at: noon,
    ...fields,
  }
}

const ask = (n: number, amountPaise = 20_000): RequestedRefund => ({
  id: `T1R${String(n).padStart(2, '0')}`,
  amount_paise: amountPaise,
  reason: 'other',
})

const refunded = (payment: Payment, request: RequestedRefund, now = noon) => decideRefund(payment, request, '111122223333', now)
/** The decision, or the error that refuses the request. */
function attempt(payment: Payment, request: RequestedRefund, now = noon) {
  try {
    return refunded(payment, request, now)
  } catch (error) {
    if (error instanceof Refused) return error
    throw error
  }
}

const callbacksOf = ({ callbacks }: Payment) => callbacks.map(({ refund }) => refund?.status)

test.each<[RefundBehaviour, string, string, string[]]>([
  ['at_once', 'succeeded', 'succeeded', ['succeeded']],
  ['slow', 'pending', 'succeeded', ['succeeded']],
  ['pending', 'pending', 'pending', []],
  ['refused', 'failed', 'failed', ['failed']],
  ['lost', 'succeeded', 'succeeded', []],
  ['silent', 'pending', 'succeeded', []],
  ['duplicate', 'succeeded', 'succeeded', ['succeeded', 'succeeded', 'succeeded', 'succeeded', 'succeeded']],
  ['insufficient', 'pending', 'pending', []],
  ['returned', 'succeeded', 'returned', ['succeeded', 'returned']],
])('%s: %s, three seconds later %s, reported as %j', (refundBehaviour, first, second, reports) => {
  const { payment, refund, isLost } = refunded(captured({ refund_behaviour: refundBehaviour }), ask(1))
  expect([refund.status, refundAt(refund, afterPause).status]).toEqual([first, second])
  expect(callbacksOf(payment)).toEqual(reports)
  expect(isLost).toBe(refundBehaviour === 'lost')
  expect(refundReport(refundReportOf(refund))).toBe(true)
})

test.each([
  [20_091, 'pending'],
  [20_092, 'failed'],
  [20_093, 'succeeded'],
  [20_000, 'succeeded'],
])('a card: a refund of %d paise is %s', (amountPaise, status) => {
  expect(refunded(captured({ method: 'credit_card' }), ask(1, amountPaise)).refund.status).toBe(status)
  expect(refunded(captured(), ask(1, amountPaise)).refund.status).toBe('succeeded')
})

test('a repeat is the same refund, at its present state; another amount or reason under its id is a conflict', () => {
  const first = refunded(captured({ refund_behaviour: 'slow' }), ask(1))
  const again = refunded(first.payment, ask(1), afterPause)
  expect(again.payment).toBe(first.payment)
  expect(again.refund).toMatchObject({ status: 'succeeded', pending_reason: null })
  for (const other of [ask(1, 1), { ...ask(1), reason: 'returned' } as const])
    expect(attempt(first.payment, other)).toMatchObject({ code: 'idempotency_conflict' })
})

test.each<[string, Partial<Payment>, RequestedRefund, string]>([
  ['more than the capture', {}, ask(1, 49_901), 'EXCEEDS_CAPTURE'],
  ['a pending payment', { outcome: 'pending' }, ask(1), 'NOT_CAPTURED'],
  ['a failed payment', { outcome: 'failed' }, ask(1), 'NOT_CAPTURED'],
  [
    'a reversed payment',
    { reversal: { reason: 'late', status: 'pending', rrn: '123456789012', requested_at: noon, completes_at: noon } },
    ask(1),
    'ALREADY_REVERSED',
  ],
  ['an old payment', { created_at: later(-(REFUND_WINDOW_DAYS + 1) * 86_400_000) }, ask(1), 'WINDOW_CLOSED'],
])('%s is refused, and the refusal is kept', (_name, fields, request, code) => {
  const { payment, refund } = refunded(captured(fields), request)
  expect(refundReportOf(refund)).toMatchObject({ status: 'failed', network_code: code })
  expect(refunded({ ...payment, outcome: 'success', reversal: null }, request).refund.status).toBe('failed')
})

test('what was refunded cannot be reversed', () => {
  const { payment } = refunded(captured(), ask(1))
  const decision = decideReversal(payment, { amountPaise: 49_900, reason: 'late', rrn: '123456789012' }, noon)
  expect(decision).toMatchObject({ response: { status: 'failed', reason: 'refunded' } })
})

test('a tester ends a pending refund; one that has ended does not change', () => {
  const { payment } = refunded(captured({ refund_behaviour: 'slow' }), ask(1))
  const failed = resolveRefund(payment, 'T1R01', 'failed', noon)
  expect(refundReportOf(refundAt(failed.refunds[0] ?? refunded(payment, ask(9)).refund, afterPause))).toMatchObject({
    status: 'failed',
    network_code: 'DECLINED_BY_THE_TESTER',
  })
  expect(callbacksOf(failed)).toEqual(['failed'])
  expect(resolveRefund(failed, 'T1R01', 'succeeded', noon)).toBe(failed)
  expect(resolveRefund(payment, 'T1R01', 'succeeded', afterPause)).toBe(payment)
  expect(resolveRefund(payment, 'T1R02', 'succeeded', noon)).toBe(payment)
})

test('a payment takes a hundred refunds at most', () => {
  let payment = captured()
  for (let n = 0; n < 100; n++) payment = refunded(payment, ask(n, 1)).payment
  expect(attempt(payment, { ...ask(1, 1), id: 'T1XR01' })).toMatchObject({ code: 'too_many_refunds' })
})

// Proves: refunds/simulator-never-over-the-capture
test('whatever is asked and whenever, refunds are never more than the capture', () => {
  const request = fc.record({
    n: fc.integer({ min: 1, max: 8 }),
    amountPaise: fc.integer({ min: 1, max: 60_000 }),
    behaviour: fc.constantFrom(...REFUND_BEHAVIOURS),
    waitMs: fc.integer({ min: 0, max: 5000 }),
  })
  fc.assert(
    fc.property(fc.array(request, { maxLength: 30 }), (requests) => {
      let payment = captured()
      let now = noon
      for (const { n, amountPaise, behaviour, waitMs } of requests) {
        now = new Date(now.getTime() + waitMs)
        const decision = attempt({ ...payment, refund_behaviour: behaviour }, ask(n, amountPaise), now)
        if (!(decision instanceof Refused)) payment = decision.payment
        expect(refundedPaise(payment.refunds, now)).toBeLessThanOrEqual(49_900)
      }
    }),
  )
})
