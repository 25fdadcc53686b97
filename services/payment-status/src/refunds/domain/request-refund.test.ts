import { compile, refundStatusChangedSchema } from '@gateway/contracts'
import { accepted, anyPart, paid, refunding, refundReportOf, requested } from '../../../test/refund-data.ts'
import { at, opened, report, timing, T1 } from '../../../test/data.ts'
import { applyReport, publishedEvents, refundablePaise, refundedPaise } from '../../payments/index.ts'
import { applyRefundReport } from './refund-answer.ts'
import { requestRefund } from './request-refund.ts'

/** What may be published: unknown fields are refused. */
const refundStatusChanged = compile(refundStatusChangedSchema)

const DAY_S = 24 * 60 * 60

// Proves: refunds/accepted-in-the-capture-document
test('a refund is pending, queued and due at once, with its event; the status of the transaction stays', () => {
  const before = paid()
  const decision = accepted(requestRefund(before, requested(), anyPart, at(120)))
  const { transaction, moneyEvents } = decision
  expect(transaction).toMatchObject({
    status: 'Success',
    sequence: before.sequence,
    version: before.version + 1,
    refunds: [{ n: 1, status: 'pending', pending_reason: 'queued', sequence: 1, due_at: at(120), amount_paise: 20_000 }],
  })
  expect(moneyEvents).toHaveLength(1)
  const [event] = moneyEvents
  expect(event).toMatchObject({
    id: `${T1}R01.1`,
    type: 'refund.status-changed',
    data: { id: `${T1}R01`, amount: '200.00', captured_paise: 49900, refunded_paise: 0, merchant_id: 'M1', reference: 'R1' },
  })
  expect(publishedEvents(decision).map((published) => refundStatusChanged(published))).toEqual([true])
  expect([refundedPaise(transaction), refundablePaise(transaction)]).toEqual([0, 29_900])
})

// Proves: refunds/same-request-same-refund
test('the same request again changes nothing, even when nothing is left; another one under its id is a conflict', () => {
  const before = refunding(paid(), { amount_paise: 49_900 })
  expect(accepted(requestRefund(before, requested({ amount_paise: 49_900 }), anyPart, at(130))).transaction).toBe(before)
  expect(requestRefund(before, requested({ amount_paise: 1 }), anyPart, at(130))).toBe('refund_id_conflict')
})

// Proves: refunds/refusals
test('refused: not paid, too much, too late, too many, and what the connector cannot do', () => {
  const order = (amount_paise: number, refund_id = 'RF-2') => requested({ amount_paise, refund_id })
  expect(requestRefund(opened(), requested(), anyPart, at(120))).toBe('order_not_refundable')
  expect(requestRefund(paid(), order(49_901), anyPart, at(120))).toBe('refund_exceeds_captured')
  expect(requestRefund(refunding(), order(29_901), anyPart, at(120))).toBe('refund_exceeds_captured')
  expect(requestRefund(paid(), requested(), null, at(120))).toBe('refunds_not_supported')
  expect(requestRefund(paid(), requested(), { windowDays: 180, partial: false }, at(120))).toBe('refunds_not_supported')
  accepted(requestRefund(paid(), order(49_900), { windowDays: 180, partial: false }, at(120)))
  accepted(requestRefund(paid(), requested(), anyPart, at(60 + 180 * DAY_S)))
  expect(requestRefund(paid(), requested(), anyPart, at(61 + 180 * DAY_S))).toBe('refund_window_closed')
  expect(requestRefund(paid(), requested(), { windowDays: 1, partial: true }, at(61 + DAY_S))).toBe('refund_window_closed')
  const twenty = Array.from({ length: 20 }, (_, index) => `RF-${index + 1}`).reduce(
    (transaction, refund_id) => refunding(transaction, { refund_id, amount_paise: 1 }),
    paid(),
  )
  expect(requestRefund(twenty, order(1, 'RF-21'), anyPart, at(120))).toBe('too_many_refunds')
})

// Proves: refunds/only-a-clear-failed-releases
test('a refund that failed releases its money for another one', () => {
  const failed = applyRefundReport(
    refunding(paid(), { amount_paise: 49_900 }),
    1,
    refundReportOf({ status: 'failed', amount: '499.00' }),
    at(130),
  )
  expect(refundablePaise(failed.transaction)).toBe(49_900)
  expect(refunding(failed.transaction, { refund_id: 'RF-2' }).refunds).toHaveLength(2)
  expect(timing.refundDelaysMs.length).toBeGreaterThan(0)
})

// Proves: refunds/original-instrument-only
test('money that is being reversed is not refundable: only the accepted capture is', () => {
  const mismatched = applyReport(opened(), report({ amount: '498.00' }), at(60), timing).transaction
  expect(requestRefund(mismatched, requested(), anyPart, at(120))).toBe('order_not_refundable')
  const twice = applyReport(paid(), report({ reference: 'R2' }), at(70), timing).transaction
  expect(twice.reversals).toMatchObject([{ reference: 'R2', status: 'pending' }])
  expect(refundablePaise(twice)).toBe(49_900)
  expect(requestRefund(twice, requested({ amount_paise: 49_901 }), anyPart, at(120))).toBe('refund_exceeds_captured')
  const { moneyEvents } = accepted(requestRefund(twice, requested(), anyPart, at(120)))
  expect(moneyEvents).toMatchObject([{ data: { reference: 'R1', captured_paise: 49_900 } }])
})
