import { at, opened, report, timing, T1 } from '../../../test/data.ts'
import { ask, askAtEach, known, unclear } from '../../../test/enquiries.ts'
import { refunding, refundReportOf } from '../../../test/refund-data.ts'
import { applyReport } from '../../payments/index.ts'
import { applyRefundReport } from '../../refunds/index.ts'
import { timelineOf } from './timeline.ts'

const kindsOf = (events: ReturnType<typeof timelineOf>) =>
  events.map(({ kind, detail }) => `${kind} ${detail['status'] ?? ''}`.trim())

test('a declined payment whose money arrived late is told in the order in which it happened', () => {
  const attempt = { id: 'A1', method: 'upi' as const, reference: 'R1', rrn: null, payer: null, started_at: at(5) }
  const transaction = {
    ...opened(),
    status: 'Failed' as const,
    sequence: 3,
    failure_reason: 'declined' as const,
    as_pending: { at: at(5), method: null, rrn: null, payer: null },
    final_at: at(10),
    attempts: [
      {
        ...attempt,
        ...{ status: 'failed' as const, failure_reason: 'declined' as const, failure_code: 'limit_exceeded' as const },
        network_code: null,
        ended_at: at(10),
      },
    ],
    reversals: [
      {
        ...{ reference: 'R2', amount_paise: 49900, reason: 'late' as const, status: 'succeeded' as const },
        ...{ rrn: null, requested_at: at(20), completed_at: at(21), requests: 3, due_at: null },
      },
    ],
  }
  const events = timelineOf(transaction)
  expect(kindsOf(events)).toEqual([
    'order.created',
    'status.changed Initiate',
    'attempt.started',
    'status.changed Pending',
    'attempt.failed',
    'status.changed Failed',
    'reversal.requested',
    'reversal.succeeded',
  ])
  expect(events[4]?.detail).toMatchObject({ attempt_id: 'A1', failure_reason: 'declined', failure_code: 'limit_exceeded' })
  expect(events[5]).toMatchObject({ sequence: 3, detail: { failure_reason: 'declined', failure_code: 'limit_exceeded' } })
  expect(events[7]?.detail).toEqual({ reference: 'R2', amount: '499.00', reason: 'late', rrn: null, requests: 3 })
})

test('an open attempt and a pending reversal have only begun', () => {
  const transaction = {
    ...opened(),
    attempts: [
      {
        ...{ id: 'A1', method: 'upi' as const, status: 'open' as const, reference: null, rrn: null, payer: null },
        ...{ failure_reason: null, failure_code: null, network_code: null },
        ...{ started_at: at(5), ended_at: null },
      },
    ],
  }
  expect(kindsOf(timelineOf(transaction))).toEqual(['order.created', 'status.changed Initiate', 'attempt.started'])
})

// Proves: ledger/timeline-tells-the-whole-payment
test('reports and answers of enquiries are told, each with its time, and why an answer decides nothing', () => {
  const asked = ask(opened(), unclear, 3).transaction
  const pending = applyReport(asked, report({ outcome: 'pending' }), at(5), timing).transaction
  const repeated = applyReport(pending, report({ outcome: 'pending' }), at(6), timing).transaction
  const paid = ask(repeated, known({}), 8).transaction
  const told = timelineOf(paid).filter(({ kind }) => /^(report|enq)/u.test(kind))
  const facts = { source: 'payments', sequence: null }
  const money = { reference: 'R1', amount: '499.00' }
  expect(told).toEqual([
    { ...facts, at: at(3).toISOString(), kind: 'enquiry.answered', detail: { unclear: 'ECONNREFUSED' } },
    { ...facts, at: at(5).toISOString(), kind: 'report.received', detail: { by: 'callback', outcome: 'pending', ...money } },
    { ...facts, at: at(8).toISOString(), kind: 'enquiry.answered', detail: { payments_known: 1 } },
    { ...facts, at: at(8).toISOString(), kind: 'report.received', detail: { by: 'enquiry', outcome: 'success', ...money } },
  ])
})

test('of the answers to enquiries the last hundred are remembered', () => {
  const answers = askAtEach(opened(), unclear, ...Array.from({ length: 105 }, (_, index) => index + 1)).answers ?? []
  expect(answers.map((answer) => answer.at)).toEqual(Array.from({ length: 100 }, (_, index) => at(index + 6)))
})

test('a refund is requested, succeeds and comes back; a refused one says why', () => {
  const { transaction: succeeded } = applyRefundReport(refunding(), 1, refundReportOf({ rrn: '998877665544' }), at(130))
  const { transaction: returned } = applyRefundReport(succeeded, 1, refundReportOf({ status: 'returned' }), at(140))
  const refundsIn = (transaction: Parameters<typeof timelineOf>[0]) =>
    timelineOf(transaction).filter(({ kind }) => kind.startsWith('refund.'))
  const detail = { id: `${T1}R01`, refund_id: 'RF-1', amount: '200.00' }
  expect(refundsIn(returned)).toEqual([
    {
      at: at(120).toISOString(),
      kind: 'refund.requested',
      source: 'payments',
      sequence: 1,
      detail: { ...detail, reason: 'other' },
    },
    {
      at: at(130).toISOString(),
      kind: 'refund.succeeded',
      source: 'payments',
      sequence: 2,
      detail: { ...detail, rrn: '998877665544' },
    },
    { at: at(140).toISOString(), kind: 'refund.returned', source: 'payments', sequence: 3, detail },
  ])
  const refused = applyRefundReport(
    refunding(),
    1,
    refundReportOf({ status: 'failed', reason_code: 'instrument_blocked' }),
    at(130),
  )
  expect(refundsIn(refused.transaction).map(({ kind, detail: facts }) => [kind, facts['failure_code']])).toEqual([
    ['refund.requested', undefined],
    ['refund.failed', 'instrument_blocked'],
  ])
})
