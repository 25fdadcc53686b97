import { at, opened, T1 } from '../../../test/data.ts'
import { refunding } from '../../../test/refund-data.ts'
import { toExportedPayment } from './exported-payment.ts'

const paid = {
  ...opened(),
  status: 'Success' as const,
  sequence: 2,
  version: 4,
  method: 'upi' as const,
  rrn: '111111111111',
  payer: { name: 'Asha', vpa: 'asha@okbank' },
  final_at: at(10),
  updated_at: at(60),
  captures: [
    { reference: 'R1', amount_paise: 49900, disposition: 'accepted' as const },
    { reference: 'R2', amount_paise: 49900, disposition: 'reversed' as const },
  ],
  reversals: [
    {
      ...{ reference: 'R2', amount_paise: 49900, reason: 'duplicate' as const, status: 'succeeded' as const },
      ...{ rrn: null, requested_at: at(50), completed_at: at(60), requests: 1, due_at: null },
    },
  ],
}

test('an accepted capture has the time of the final status; money that goes back has the time of its reversal', () => {
  expect(toExportedPayment(paid)).toMatchObject({
    transaction_id: T1,
    merchant_id: 'M1',
    version: 4,
    payer_vpa: 'asha@okbank',
    final_at: at(10).toISOString(),
    captures: [
      { reference: 'R1', accepted: true, rrn: '111111111111', method: 'upi', at: at(10).toISOString() },
      { reference: 'R2', accepted: false, rrn: null, method: null, at: at(50).toISOString() },
    ],
    reversals: [{ reference: 'R2', status: 'succeeded', requested_at: at(50).toISOString(), completed_at: at(60).toISOString() }],
  })
})

test('refunds are exported as merchants see them', () => {
  expect(toExportedPayment(refunding()).refunds).toMatchObject([
    { id: `${T1}R01`, refund_id: 'RF-1', amount: '200.00', status: 'pending', created_at: at(120).toISOString() },
  ])
})

test('an order that nobody paid has no captures and no final time', () => {
  expect(toExportedPayment(opened())).toMatchObject({
    status: 'Initiate',
    captures: [],
    reversals: [],
    final_at: null,
    rrn: null,
  })
})
