import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { formatSigningSecret, readSigningSecret, sign, verifySignature } from './signature.ts'

const now = new Date('2026-01-01T00:00:00Z')
const seconds = now.getTime() / 1000
const [first, second] = [
  readSigningSecret(formatSigningSecret(randomBytes(32))),
  readSigningSecret(formatSigningSecret(randomBytes(32))),
]
const message = (signature: string, body = '{"a":1}', timestamp = String(seconds)) => ({
  id: 'msg_1',
  timestamp,
  signature,
  body,
})

// Proves: webhooks/signature
test('the example of the Standard Webhooks specification', () => {
  const key = readSigningSecret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
  expect(sign('msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, '{"test": 2432232314}', [key])).toBe(
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  )
})

test('two keys make two signatures, and each key alone verifies', () => {
  const signature = sign('msg_1', seconds, '{"a":1}', [first, second])
  expect(signature.split(' ')).toHaveLength(2)
  expect(verifySignature(message(signature), [first], now)).toBe(true)
  expect(verifySignature(message(signature), [second], now)).toBe(true)
  expect(verifySignature(message(signature), [readSigningSecret(formatSigningSecret(randomBytes(32)))], now)).toBe(false)
})

// Proves: api/callback-two-live-secrets
test('while the secret rotates, a receiver that knows both secrets accepts a signature by either', () => {
  for (const key of [first, second])
    expect(verifySignature(message(sign('msg_1', seconds, '{"a":1}', [key])), [first, second], now)).toBe(true)
})

test('another byte of the body, id or time breaks it', () => {
  fc.assert(
    fc.property(fc.string(), (body) => {
      fc.pre(body !== '{"a":1}')
      expect(verifySignature(message(sign('msg_1', seconds, '{"a":1}', [first]), body), [first], now)).toBe(false)
    }),
  )
  const signature = sign('msg_1', seconds, '{"a":1}', [first])
  expect(verifySignature({ ...message(signature), id: 'msg_2' }, [first], now)).toBe(false)
  expect(verifySignature(message(signature, undefined, String(seconds + 1)), [first], now)).toBe(false)
})

// Proves: api/callback-timestamp-tolerance
test.each([
  [-301, false],
  [-300, true],
  [300, true],
  [301, false],
])('a timestamp %d seconds off: %s', (offset, expected) => {
  const timestamp = seconds + offset
  const signature = sign('msg_1', timestamp, '{"a":1}', [first])
  expect(verifySignature(message(signature, undefined, String(timestamp)), [first], now)).toBe(expected)
})

test.each(['', 'v1,', 'v1a,AAAA', 'v1,not base64', 'AAAA'])('%j is no signature', (signature) => {
  expect(verifySignature(message(signature), [first], now)).toBe(false)
})

test.each(['', 'abc', '-1', '1e9', 'NaN', '1614265330.5'])('%j is no timestamp', (timestamp) => {
  expect(verifySignature(message(sign('msg_1', seconds, '{"a":1}', [first]), undefined, timestamp), [first], now)).toBe(false)
})
