import type { ExportedPayment, RefundView } from '@gateway/contracts'
import { paymentOfExport } from './payment.ts'

const T1 = '01KAVWQZ5E8J3N7R2T4V6X9YBC00'
const at = '2026-11-23T10:00:00.000Z'
const refund = (amount: string, status: RefundView['status']): RefundView => ({
  ...{ id: `${T1}R01`, refund_id: 'RF-1', order_id: 'ORD-1', transaction_id: T1, amount, currency: 'INR', status },
  ...{ pending_reason: null, failure_code: null, rrn: null, sequence: 1, reason: 'other', note: '' },
  ...{ created_at: at, updated_at: at, completed_at: null },
})
const paid: ExportedPayment = {
  ...{ transaction_id: T1, order_id: 'ORD-1', merchant_id: 'M1', sequence: 2, version: 3, status: 'Success' },
  ...{ amount_paise: 49_900, method: 'upi', rrn: null, failure_reason: null, failure_code: null, payer_vpa: null },
  ...{ created_at: at, final_at: at, reversals: [], refunds: [], rrns: ['412345678901'] },
  captures: [
    { reference: 'R0', amount_paise: 100, accepted: false, rrn: null, method: null, at },
    { reference: 'R1', amount_paise: 49_900, accepted: true, rrn: null, method: 'upi', at },
  ],
}

test.each<[string, RefundView[], string, number]>([
  ['no refunds', [], 'none', 0],
  ['a pending and a failed one give nothing back', [refund('100.00', 'pending'), refund('50.00', 'failed')], 'none', 0],
  ['a returned one came back', [refund('100.00', 'returned')], 'none', 0],
  ['a part', [refund('100.00', 'succeeded'), refund('399.00', 'pending')], 'partial', 10_000],
  ['all of it', [refund('100.00', 'succeeded'), refund('399.00', 'succeeded')], 'full', 49_900],
])('how much of a payment was given back: %s', (_what, refunds, refund_state, refunded_paise) => {
  expect(paymentOfExport({ ...paid, refunds }, () => '').payment).toMatchObject({ refund_state, refunded_paise })
})
