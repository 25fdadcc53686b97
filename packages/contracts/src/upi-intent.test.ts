import fc from 'fast-check'
import { buildUpiIntent, parseUpiIntent, type UpiIntent } from './upi-intent.ts'

const intent: UpiIntent = {
  payeeVpa: 'blue.shirts@okbank',
  payeeName: 'Blue Shirts & Co',
  mcc: '5651',
  transactionId: '01JABCDEFGHJKMNPQRSTVWXYZ0',
  amount: '499.00',
  note: 'Blue shirt',
}

// Proves: spec/upi-includes-app-intent-checkout, api/intent-follows-npci-linking
test('the link is percent-encoded as NPCI specifies (a space is %20), its parameters in a fixed order', () => {
  expect(buildUpiIntent(intent)).toBe(
    'upi://pay?pa=blue.shirts@okbank&pn=Blue%20Shirts%20%26%20Co&mc=5651&tr=01JABCDEFGHJKMNPQRSTVWXYZ0&am=499.00&cu=INR&tn=Blue%20shirt',
  )
})

test('a signer gets the unsigned link, and its parameters are appended', () => {
  const link = buildUpiIntent(intent, (unsigned) => ({ mode: '04', orgid: '000000', sign: String(unsigned.length) }))
  expect(link).toBe(`${buildUpiIntent(intent)}&mode=04&orgid=000000&sign=${buildUpiIntent(intent).length}`)
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
