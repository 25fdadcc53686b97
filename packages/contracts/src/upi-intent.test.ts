import fc from 'fast-check'
import { buildUpiIntent, isIntentFor, parseUpiIntent, type UpiIntent } from './upi-intent.ts'

const intent: UpiIntent = {
  payeeVpa: 'blue.shirts@okbank',
  payeeName: 'Blue Shirts & Co',
  mcc: '5651',
  transactionId: '01JABCDEFGHJKMNPQRSTVWXYZ0ZZ',
  amount: '499.00',
  note: 'Blue shirt',
}

// Proves: spec/upi-includes-app-intent-checkout, api/intent-follows-npci-linking
test('the link is percent-encoded as NPCI specifies (a space is %20), its parameters in a fixed order', () => {
  expect(buildUpiIntent(intent)).toBe(
    'upi://pay?pa=blue.shirts@okbank&pn=Blue%20Shirts%20%26%20Co&mc=5651&tr=01JABCDEFGHJKMNPQRSTVWXYZ0ZZ&am=499.00&cu=INR&tn=Blue%20shirt',
  )
})

// Proves: api/intent-can-be-signed
test('a signer gets the whole link with mode and orgid, and its signature comes last', () => {
  const signed: string[] = []
  const sign = (link: string): string => {
    signed.push(link)
    return 'a+/='
  }
  const link = buildUpiIntent(intent, { mode: '05', orgid: '159999', sign })
  expect(signed).toEqual([`${buildUpiIntent(intent)}&mode=05&orgid=159999`])
  expect(link).toBe(`${signed[0] ?? ''}&sign=a%2B%2F%3D`)
})

// Proves: api/connector-intents-are-checked
test.each([
  ['the same amount', 'upi://pay?pa=a@b&tr=ACQ-1&am=499.00&cu=INR', true],
  ['without paise', 'upi://pay?pa=a@b&tr=ACQ-1&am=499&cu=INR', true],
  ['another amount', 'upi://pay?pa=a@b&am=499.01&cu=INR', false],
  ['no amount', 'upi://pay?pa=a@b&cu=INR', false],
  ['two amounts', 'upi://pay?pa=a@b&am=499.00&am=1.00&cu=INR', false],
  ['another currency', 'upi://pay?pa=a@b&am=499.00&cu=USD', false],
  ['no currency', 'upi://pay?pa=a@b&am=499.00', false],
  ['another scheme', 'https://pay?pa=a@b&am=499.00&cu=INR', false],
  ['a mandate', 'upi://mandate?pa=a@b&am=499.00&cu=INR', false],
  ['a space', 'upi://pay?pa=a@b&am=499.00&cu=INR&tn=a b', false],
])('a link of the connector with %s', (_what, link, expected) => {
  expect(isIntentFor(49_900, link)).toBe(expected)
})

// Proves: api/intent-follows-npci-linking
test('a link with any names and notes reads back unchanged', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 50 })
  fc.assert(
    fc.property(text, text, (payeeName, note) => {
      const link = buildUpiIntent({ ...intent, payeeName, note })
      expect(parseUpiIntent(link)).toEqual({ ...intent, payeeName, note })
      expect(link).toMatch(/^upi:\/\/pay\?[\x21-\x7e]+$/u)
    }),
  )
})

test.each(['', 'https://pay?pa=a@b', 'upi://pay?', 'upi://pay?pa=shop@bank', 'upi://mandate?pa=a@b&pn=n&mc=1&tr=T&am=1.00'])(
  '%j is not an intent of ours',
  (link) => {
    expect(parseUpiIntent(link)).toBeUndefined()
  },
)
