import type { RefundReport } from '@gateway/contracts'
import { at, timing, T1 } from '../../../test/data.ts'
import { refunding, refundReportOf } from '../../../test/refund-data.ts'
import { type Decision, refundablePaise, refundedPaise, refundsDueAt, type Transaction } from '../../payments/index.ts'
import { applyRefundAnswers, applyRefundReport, REFUND_OVERDUE_MS, type RefundAnswer } from './refund-answer.ts'
import { dueRefunds, nextCall } from '../../payments/index.ts'

const answer = (before: Transaction, given: RefundAnswer, seconds = 121): Decision =>
  applyRefundAnswers(before, [{ n: 1, answer: given }], at(seconds), timing)
const first = ({ transaction }: Decision) => transaction.refunds?.[0]
const eventsOf = ({ moneyEvents }: Decision) => moneyEvents.map(({ id, data }) => [id, data.status])

// Proves: refunds/only-a-clear-failed-releases
test.each<[string, RefundAnswer]>([
  ['no clear answer', 'unclear'],
  ['a success of another amount', refundReportOf({ amount: '199.00' })],
  ['a refusal of another amount', refundReportOf({ amount: '499.00', status: 'failed' })],
])('%s leaves it pending as no_answer, keeps the money bound, and asks again with the same key', (_name, given) => {
  const decision = answer(refunding(), given)
  expect(first(decision)).toMatchObject({
    status: 'pending',
    pending_reason: 'no_answer',
    requests: 1,
    due_at: at(122),
    sequence: 1,
  })
  expect(eventsOf(decision)).toEqual([])
  expect(refundablePaise(decision.transaction)).toBe(29_900)
  const again = first(decision)
  expect(again && nextCall(again)).toBe('request')
})

test('a pending answer says why, and from then on the network is enquired until it knows nothing of it', () => {
  const processing = answer(refunding(), refundReportOf({ status: 'pending' }))
  expect(first(processing)).toMatchObject({ pending_reason: 'processing', sequence: 1 })
  const waiting = answer(processing.transaction, refundReportOf({ status: 'pending', pending_reason: 'insufficient_funds' }), 130)
  const refund = first(waiting)
  expect(refund).toMatchObject({ pending_reason: 'insufficient_funds', requests: 2, due_at: at(190) })
  expect(refund && nextCall(refund)).toBe('enquire')
  const lost = first(answer(waiting.transaction, 'unclear', 200))
  expect(lost && nextCall(lost)).toBe('request')
})

test('a success ends it with its rrn and event; a refusal with the reason', () => {
  const succeeded = answer(refunding(), refundReportOf({ rrn: '998877665544' }))
  expect(first(succeeded)).toMatchObject({
    status: 'succeeded',
    rrn: '998877665544',
    completed_at: at(121),
    due_at: null,
    sequence: 2,
  })
  expect(eventsOf(succeeded)).toEqual([[`${T1}R01.2`, 'succeeded']])
  expect([refundedPaise(succeeded.transaction), refundsDueAt(succeeded.transaction)]).toEqual([20_000, undefined])
  const failed = answer(refunding(), refundReportOf({ status: 'failed', reason_code: 'instrument_blocked', network_code: 'XC' }))
  expect(first(failed)).toMatchObject({
    status: 'failed',
    failure_code: 'instrument_blocked',
    network_code: 'XC',
    completed_at: at(121),
  })
  expect([eventsOf(failed), failed.alerts]).toEqual([[[`${T1}R01.2`, 'failed']], []])
  const unmapped = answer(refunding(), refundReportOf({ status: 'failed', reason_code: 'U69' }))
  expect(first(unmapped)).toMatchObject({ failure_code: 'unknown', network_code: 'U69' })
})

test('a refund that comes back is returned, and succeeded first when nobody told so', () => {
  const succeeded = applyRefundReport(refunding(), 1, refundReportOf(), at(130))
  const returned = applyRefundReport(succeeded.transaction, 1, refundReportOf({ status: 'returned' }), at(140))
  expect(first(returned)).toMatchObject({ status: 'returned', completed_at: at(130), returned_at: at(140), sequence: 3 })
  expect([refundedPaise(returned.transaction), refundablePaise(returned.transaction)]).toEqual([0, 49_900])
  const atOnce = applyRefundReport(refunding(), 1, refundReportOf({ status: 'returned' }), at(140))
  expect(eventsOf(atOnce)).toEqual([
    [`${T1}R01.2`, 'succeeded'],
    [`${T1}R01.3`, 'returned'],
  ])
  expect(atOnce.transaction.version).toBe(refunding().version + 1)
})

const reportAfter = (status: RefundReport['status'], later: RefundReport['status']): Decision => {
  const before =
    status === 'returned'
      ? applyRefundReport(refunding(), 1, refundReportOf({ status: 'succeeded' }), at(130)).transaction
      : refunding()
  return applyRefundReport(
    applyRefundReport(before, 1, refundReportOf({ status }), at(140)).transaction,
    1,
    refundReportOf({ status: later }),
    at(150),
  )
}

test.each<[RefundReport['status'], RefundReport['status'], string | undefined]>([
  ['succeeded', 'pending', undefined],
  ['succeeded', 'succeeded', undefined],
  ['succeeded', 'failed', 'contradictory_refund'],
  ['failed', 'pending', undefined],
  ['failed', 'failed', undefined],
  ['failed', 'succeeded', 'contradictory_refund'],
  ['failed', 'returned', 'contradictory_refund'],
  ['returned', 'pending', undefined],
  ['returned', 'succeeded', undefined],
  ['returned', 'returned', undefined],
  ['returned', 'failed', 'contradictory_refund'],
])('after %s a report of %s changes no refund; alert: %s', (status, later, alert) => {
  const decision = reportAfter(status, later)
  expect(first(decision)?.status).toBe(status)
  expect(decision.alerts).toEqual(alert === undefined ? [] : [alert])
  expect(eventsOf(decision)).toEqual([])
})

// Proves: refunds/overdue-after-seven-days
test('after seven days without a clear answer there is one alert, and the requests go on', () => {
  let transaction = refunding()
  const alerts: { at: Date; kind: string }[] = []
  for (let asked = 0; asked < 20_000; asked++) {
    const due = refundsDueAt(transaction)
    if (!due) throw new Error('nothing is due')
    const decision = applyRefundAnswers(transaction, [{ n: 1, answer: 'unclear' }], due, timing)
    alerts.push(...decision.alerts.map((kind) => ({ at: due, kind })))
    transaction = decision.transaction
  }
  expect(alerts).toEqual([{ at: new Date(at(120).getTime() + REFUND_OVERDUE_MS), kind: 'refund_overdue' }])
  expect(dueRefunds(transaction, new Date(8.64e15))).toHaveLength(1)
})
