import { randomBytes } from 'node:crypto'
import { readConfig } from '@gateway/service-kit'
import { readOrderApiConfig } from './config.ts'

const complete = {
  ENVIRONMENT: 'production',
  MONGO_URL: `mongodb://gateway:${randomBytes(24).toString('base64url')}@db.example/?tls=true`,
  AMQP_URL: `amqps://gateway:${randomBytes(24).toString('base64url')}@broker.example/gateway`,
  JWKS_URL: 'https://auth.example/jwks.json',
  PUBLIC_URL: 'https://pay.example',
  CALLER_TOKENS: `payment-status:${randomBytes(32).toString('base64url')}`,
  CHECKOUT_LINK_KEY: randomBytes(32).toString('base64'),
}
const read = (more: Record<string, string> = {}) => readConfig({ ...complete, ...more }, readOrderApiConfig)

// Proves: api/amount-range
test('the defaults: amounts from one rupee to a crore, UPI up to a lakh', () => {
  expect(read()).toMatchObject({
    port: 8102,
    database: 'order_api',
    limits: {
      minAmountPaise: 100,
      maxAmountPaise: 1_000_000_000,
      upiCap: { defaultPaise: 10_000_000, byMcc: new Map() },
    },
  })
})

// Proves: api/amount-range
test('amounts and the cap of UPI can be set', () => {
  const { limits } = read({ ORDER_MIN_AMOUNT: '10.00', ORDER_MAX_AMOUNT: '500', UPI_MAX_AMOUNT: '200.00,8062=300.00' })
  expect(limits).toEqual({
    minAmountPaise: 1000,
    maxAmountPaise: 50_000,
    upiCap: { defaultPaise: 20_000, byMcc: new Map([['8062', 30_000]]) },
  })
})

test('UPI links come from the connector only when asked, and then its address and key are required', () => {
  expect(read().intents).toBeUndefined()
  const connector = { NETWORK_URL: 'https://connector.example', NETWORK_API_KEY: randomBytes(32).toString('base64url') }
  expect(read({ INTENT_SOURCE: 'connector', ...connector }).intents).toEqual({
    url: connector.NETWORK_URL,
    apiKey: connector.NETWORK_API_KEY,
    usesProxy: false,
  })
  expect(() => read({ INTENT_SOURCE: 'connector' })).toThrow('INTENT_SOURCE=connector needs NETWORK_URL and NETWORK_API_KEY')
  expect(() => read({ INTENT_SOURCE: 'bank' })).toThrow('INTENT_SOURCE ')
})

// Proves: faults/production-refuses-plain-http
test.each([
  ['JWKS_URL', 'http://auth.example/jwks.json'],
  ['PUBLIC_URL', 'http://pay.example'],
  ['MONGO_URL', 'https://db.example'],
  ['AMQP_URL', 'https://broker.example'],
  ['CALLER_TOKENS', ''],
  ['CALLER_TOKENS', 'payment-status:short'],
  ['CHECKOUT_LINK_KEY', 'c2hvcnQ='],
  ['ORDER_MAX_AMOUNT', '1e7'],
  ['UPI_MAX_AMOUNT', 'much'],
  ['ENVIRONMENT', 'staging'],
])('production refuses to start with %s=%s', (name, value) => {
  expect(() => read({ [name]: value })).toThrow(new RegExp(`${name} `, 'u'))
})
