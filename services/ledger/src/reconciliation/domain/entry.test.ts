import type { ExportedPayment, RefundView } from '@gateway/contracts'
import { directionOf, entriesOfExport, entryKey, lineKey } from './entry.ts'

const at = (second: number): string => new Date(Date.UTC(2026, 10, 21, 18, 0, second)).toISOString()
const refund = (id: string, status: RefundView['status'], more: Partial<RefundView> = {}): RefundView => ({
  ...{ id, refund_id: id, order_id: 'ORD-1', transaction_id: 'T1', amount: '10.50', currency: 'INR', status, rrn: null },
  ...{ pending_reason: null, failure_code: null, sequence: 1, reason: 'other', note: '' },
  ...{ created_at: at(20), updated_at: at(40), completed_at: null, ...more },
})
const payment: ExportedPayment = {
  ...{ transaction_id: 'T1', order_id: 'ORD-1', merchant_id: 'M1', sequence: 2, version: 7, status: 'Success' },
  ...{ amount_paise: 49_900, method: 'upi', rrn: '111', failure_reason: null, failure_code: null, payer_vpa: null },
  ...{ created_at: at(0), final_at: at(5) },
  captures: [
    { reference: 'R1', amount_paise: 49_900, accepted: true, rrn: '111', method: 'upi', at: at(5) },
    { reference: 'R2', amount_paise: 50_000, accepted: false, rrn: '222', method: 'upi', at: at(9) },
  ],
  reversals: [
    {
      ...{ reference: 'R2', amount_paise: 50_000, reason: 'duplicate', status: 'pending', requested_at: at(9) },
      ...{ rrn: null, completed_at: null },
    },
  ],
  refunds: [],
  rrns: [],
}

// Proves: ledger/entries-are-the-money
test('every capture, reversal and refund is an entry; a returned refund is two', () => {
  const refunds = [
    refund('T1R01', 'succeeded', { completed_at: at(30), rrn: '333' }),
    refund('T1R02', 'returned', { completed_at: at(31) }),
    refund('T1R03', 'failed', { completed_at: at(32) }),
    refund('T1R04', 'pending'),
  ]
  const found = entriesOfExport({ ...payment, refunds })
  const common = { merchant_id: 'M1', transaction_id: 'T1', order_id: 'ORD-1', version: 7, method: 'upi' }
  expect(found.map((entry) => [lineKey(entry), entry.amount_paise, entry.status, entry.at.toISOString(), entry.rrn])).toEqual([
    ['capture:R1', 49_900, 'succeeded', at(5), '111'],
    ['unwanted_capture:R2', 50_000, 'succeeded', at(9), '222'],
    ['reversal:R2', 50_000, 'pending', at(9), '222'],
    ['refund:T1R01', 1050, 'succeeded', at(30), '333'],
    ['refund:T1R02', 1050, 'succeeded', at(31), null],
    ['refund_return:T1R02', 1050, 'succeeded', at(40), null],
    ['refund:T1R03', 1050, 'failed', at(32), null],
    ['refund:T1R04', 1050, 'pending', at(20), null],
  ])
  for (const entry of found) expect(entry).toMatchObject(common)
  const [credit, debit] = ['credit', 'debit']
  const directions = [credit, credit, debit, debit, debit, credit, debit, debit]
  expect(found.map(({ kind }) => directionOf(kind))).toEqual(directions)
  expect(found.map(entryKey)).toEqual(found.map((entry) => `${lineKey(entry)}:T1`))
})

test('a completed reversal has the time at which the money went back; a payment without money has no entries', () => {
  const [reversal] = payment.reversals
  const done = entriesOfExport({
    ...payment,
    reversals: [{ ...reversal, status: 'succeeded', rrn: '999', completed_at: at(50) }] as never,
  })
  expect(done.at(-1)).toMatchObject({ kind: 'reversal', status: 'succeeded', rrn: '999', at: new Date(at(50)) })
  expect(entriesOfExport({ ...payment, captures: [], reversals: [] })).toEqual([])
})
