import { orderTextsOf, parseUpiIntent } from '@gateway/contracts'
import { buildLink, type OrderDraft } from './order.ts'

const now = new Date('2026-01-01T12:00:00Z')
const order: OrderDraft = {
  transaction_id: '01J0000000000000000000TEST00',
  order_id: 'ORD-1',
  merchant: { id: 'M1', name: 'Blue Shirts', vpa: 'blue@okbank', mcc: '5651' },
  amount_paise: 49_900,
  customer: { id: 'C-1', name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' },
  methods: ['upi', 'card'],
  max_attempts: 1,
  texts: orderTextsOf({ description: 'Blue shirt' }),
  fingerprint: 'f',
  correlation_id: 'c',
  created_at: now,
  expires_at: now,
}

// Proves: spec/2-1-checkout-intent-returned-creation, api/transaction-id-format
test('the link contains the transaction, the payee and the amount, and nothing about the shopper', () => {
  expect(parseUpiIntent(buildLink(order))).toEqual({
    payeeVpa: 'blue@okbank',
    payeeName: 'Blue Shirts',
    mcc: '5651',
    transactionId: order.transaction_id,
    amount: '499.00',
    note: 'Blue shirt',
  })
  expect(buildLink(order)).not.toMatch(/Asha|asha|9876543210|C-1/u)
})

// Proves: api/intent-tn-is-description
test('the note is the order_id when there is no description', () => {
  expect(parseUpiIntent(buildLink({ ...order, texts: orderTextsOf({}) }))?.note).toBe('ORD-1')
})

// Proves: api/intent-can-be-signed
test('a signer signs the link; an order without UPI has none', () => {
  const signer = { mode: '05', orgid: '1', sign: () => 's' }
  expect(buildLink(order, signer)).toBe(`${buildLink(order)}&mode=05&orgid=1&sign=s`)
  expect(buildLink({ ...order, methods: ['card'] }, signer)).toBe('')
})
