import { createSecretKey } from 'node:crypto'
import { checkoutUrl } from './checkout-link.ts'
import { localIntent, makeCheckoutLinks, type PayableOrder } from './checkout-links.ts'
import { parseUpiIntent } from './upi-intent.ts'

const key = createSecretKey(Buffer.alloc(32, 5))
const order: PayableOrder = {
  transactionId: '01J0000000000000000000TEST',
  orderId: 'ORD-1',
  merchant: { name: 'Blue Shirts', vpa: 'blue@okbank', mcc: '5651' },
  amountPaise: 49_900,
  texts: { description: 'Blue shirt' },
  methods: ['upi', 'card'],
}
const linksOf = makeCheckoutLinks({ publicUrl: 'https://pay.example', key })

// Proves: spec/2-1-checkout-url-returned-creation, spec/2-1-checkout-intent-returned-creation
// Proves: api/transaction-id-format
test('the links contain the transaction, the payee and the amount, and nothing about the shopper', () => {
  const { url, intent } = linksOf(order)
  expect(url).toBe(checkoutUrl('https://pay.example', order.transactionId, key))
  expect(parseUpiIntent(intent)).toEqual({
    payeeVpa: 'blue@okbank',
    payeeName: 'Blue Shirts',
    mcc: '5651',
    transactionId: order.transactionId,
    amount: '499.00',
    note: 'Blue shirt',
  })
  expect(linksOf(order)).toEqual({ url, intent })
})

// Proves: api/intent-tn-is-description
test('the note is the order_id when there is no description', () => {
  expect(parseUpiIntent(linksOf({ ...order, texts: { description: '' } }).intent)?.note).toBe('ORD-1')
})

test('an order without UPI has no intent, but a page', () => {
  expect(linksOf({ ...order, methods: ['card'] })).toEqual({ url: linksOf(order).url, intent: '' })
})

// Proves: api/intent-can-be-signed
test('a stored intent is shown as it is; a signer signs the local one', () => {
  const intent = localIntent(order, { mode: '05', orgid: '1', sign: () => 's' })
  expect(intent).toBe(`${linksOf(order).intent}&mode=05&orgid=1&sign=s`)
  expect(linksOf({ ...order, intent })).toEqual({ url: linksOf(order).url, intent })
  expect(localIntent({ ...order, methods: ['card'] })).toBe('')
})
