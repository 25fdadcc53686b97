import { randomBytes } from 'node:crypto'
import { formatSigningSecret } from '@gateway/contracts'
import { readConfig } from '@gateway/service-kit'
import { readPaymentStatusConfig } from './config.ts'

const [one, two, three] = Array.from({ length: 3 }, () => formatSigningSecret(randomBytes(32)))
const complete = {
  ENVIRONMENT: 'production',
  MONGO_URL: `mongodb://gateway:${randomBytes(24).toString('base64url')}@db.example/?tls=true`,
  AMQP_URL: `amqps://gateway:${randomBytes(24).toString('base64url')}@broker.example/gateway`,
  JWKS_URL: 'https://auth.example/jwks.json',
  ORDER_API_URL: 'https://orders.example',
  NETWORK_URL: 'https://network.example',
  NETWORK_API_KEY: randomBytes(32).toString('base64url'),
  NETWORK_CALLBACK_SECRET: String(one),
  SERVICE_TOKEN: randomBytes(32).toString('base64url'),
  CALLER_TOKENS: `checkout:${randomBytes(32).toString('base64url')}`,
  PUBLIC_URL: 'https://pay.example',
  CHECKOUT_LINK_KEY: randomBytes(32).toString('base64'),
}
const read = (more: Record<string, string> = {}) => readConfig({ ...complete, ...more }, readPaymentStatusConfig)

// Proves: state/not-found-permits-failed-after-grace, state/give-up-is-unconfirmed
// Proves: state/enquiry-repeats-after-final-status
test('the default times are those of the design', () => {
  expect(read().timing).toMatchObject({
    upiEnquiryDelaysMs: [90_000, 600_000],
    enquiryGraceMs: 90_000,
    enquiryGiveUpMs: 86_400_000,
    finalEnquiryDelaysMs: [900_000, 86_400_000],
  })
  const { enquiryGraceMs, upiEnquiryDelaysMs } = read({ ENVIRONMENT: 'sandbox' }).timing
  expect([enquiryGraceMs, upiEnquiryDelaysMs]).toEqual([1000, undefined])
})

test('every time can be set', () => {
  const times = {
    ENQUIRY_DELAYS: '1s,2s',
    UPI_ENQUIRY_DELAYS: '8s,9s',
    ENQUIRY_GRACE: '3s',
    ENQUIRY_GIVE_UP: '4s',
    FINAL_ENQUIRY_DELAYS: '5s,6s',
  }
  expect(read({ ...times, REVERSAL_DELAYS: '7s', REFUND_DELAYS: '1s,2s' }).timing).toEqual({
    enquiryDelaysMs: [1000, 2000],
    upiEnquiryDelaysMs: [8000, 9000],
    enquiryGraceMs: 3000,
    enquiryGiveUpMs: 4000,
    finalEnquiryDelaysMs: [5000, 6000],
    reversalDelaysMs: [7000],
    refundDelaysMs: [1000, 2000],
  })
})

// Proves: api/callback-two-live-secrets
test('one callback secret, or two while it rotates', () => {
  expect(read().networkCallbackKeys).toHaveLength(1)
  expect(read({ NETWORK_CALLBACK_SECRET: `${String(one)}, ${String(two)}` }).networkCallbackKeys).toHaveLength(2)
  for (const secrets of ['', [one, two, three].join(), 'short', `${String(one)},x`])
    expect(() => read({ NETWORK_CALLBACK_SECRET: secrets })).toThrow(/NETWORK_CALLBACK_SECRET /u)
})

// Proves: faults/production-refuses-plain-http
test.each(['JWKS_URL', 'ORDER_API_URL', 'NETWORK_URL', 'PUBLIC_URL'])(
  'production refuses to start with plain HTTP for %s',
  (name) => {
    expect(() => read({ [name]: 'http://plain.example' })).toThrow(new RegExp(`${name} `, 'u'))
    expect(read({ ENVIRONMENT: 'sandbox', [name]: 'http://plain.example' })).toMatchObject({ environment: 'sandbox' })
  },
)

test.each(['NETWORK_API_KEY', 'SERVICE_TOKEN', 'CALLER_TOKENS', 'CHECKOUT_LINK_KEY'])(
  '%s has no default and must be long enough',
  (name) => {
    for (const value of ['', 'short']) expect(() => read({ [name]: value })).toThrow(new RegExp(`${name} `, 'u'))
  },
)
