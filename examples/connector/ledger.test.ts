import { newTransactionId, type NetworkRefundRequest } from '@gateway/contracts'
import { openLedger } from './ledger.ts'

const tr = newTransactionId(new Date(), 0)
const refund: NetworkRefundRequest = {
  ...{ refund_id: `${tr}R01`, reference: '', tr, amount: '499.00' },
  ...{ currency: 'INR', reason: 'other' },
}

/** A ledger in which one order was paid twice. */
function paidTwice() {
  const ledger = openLedger()
  const link = { transactionId: tr, amount: '499.00', payeeVpa: 'a@b', payeeName: 'Asha', mcc: '5411', note: '' }
  return { ledger, references: [1, 2].map(() => ledger.payLink(link, 'success@sandbox').reference) }
}

test('a refund key that comes again for another payment is refused: it refunds one payment', () => {
  const { ledger, references } = paidTwice()
  const [reference = '', other = ''] = references
  const first = ledger.refund({ ...refund, reference })
  expect(first.report.status).toBe('succeeded')
  expect(() => ledger.refund({ ...refund, reference: other })).toThrow('This key was used with another body')
  expect(ledger.refund({ ...refund, reference })).toEqual({ ...first, isNew: false })
  expect(ledger.findRefund(refund.refund_id)).toEqual([first.report])
  const whole = { reference: other, tr, amount: '499.00', reason: 'duplicate' } as const
  expect([ledger.reverse({ ...whole, reference }).status, ledger.reverse(whole).status]).toEqual(['failed', 'succeeded'])
  expect(ledger.findRefund(`${tr}R02`)).toEqual([])
})
