import { createSecretKey, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { checkoutToken, checkoutUrl, readCheckoutToken } from './checkout-link.ts'
import { TRANSACTION_ID_PATTERN } from './ids.ts'

const key = createSecretKey(Buffer.alloc(32, 7))
const [A1, A2] = ['01KAVWQZ5E8J3N7R2T4V6X9YA100', '01KAVWQZ5E8J3N7R2T4V6X9YA200']
const transactionId = fc.stringMatching(new RegExp(TRANSACTION_ID_PATTERN, 'u'))

test('a checkout link reads back under its own key only', () => {
  fc.assert(
    fc.property(transactionId, (id) => {
      expect(readCheckoutToken(checkoutToken(id, key), [key])).toBe(id)
      expect(readCheckoutToken(checkoutToken(id, key), [createSecretKey(randomBytes(32))])).toBeUndefined()
    }),
  )
})

// Proves: api/checkout-link-key-rotates
test('while the key changes, links of both keys are read', () => {
  const next = createSecretKey(Buffer.alloc(32, 8))
  for (const keys of [
    [key, next],
    [next, key],
  ]) {
    expect(readCheckoutToken(checkoutToken(A1, key), keys)).toBe(A1)
    expect(readCheckoutToken(checkoutToken(A1, next), keys)).toBe(A1)
    expect(readCheckoutToken(checkoutToken(A1, createSecretKey(Buffer.alloc(32, 9))), keys)).toBeUndefined()
  }
})

// Proves: api/checkout-link-is-unguessable
test('a MAC of one transaction opens no other, and a changed character opens nothing', () => {
  const [first, second] = [checkoutToken(A1, key), checkoutToken(A2, key)]
  expect(readCheckoutToken(second.replace(A2, A1), [key])).toBeUndefined()
  expect(readCheckoutToken(first.slice(0, -2) + (first.endsWith('AA') ? 'BB' : 'AA'), [key])).toBeUndefined()
})

test.each([
  '',
  A1,
  `${A1}-`,
  '-AAAA',
  `${A1}-short`,
  `${A1}-${'A'.repeat(25)}`,
  `A1-${'A'.repeat(24)}`,
  `${A1.toLowerCase()}-${'A'.repeat(24)}`,
])('%j is no token', (token) => {
  expect(readCheckoutToken(token, [key])).toBeUndefined()
})

// Proves: api/checkout-link-is-unguessable
test('the MAC has at least 128 bits', () => {
  const mac = checkoutToken(A1, key).split('-').slice(1).join('-')
  expect(Buffer.from(mac, 'base64url').length * 8).toBeGreaterThanOrEqual(128)
  expect(checkoutUrl('https://pay.example', A1, key)).toBe(`https://pay.example/checkout/${checkoutToken(A1, key)}`)
})
