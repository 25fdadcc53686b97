import { randomBytes } from 'node:crypto'
import { readConfig } from '@gateway/service-kit'
import { readDispatcherConfig } from './config.ts'

const complete = {
  ENVIRONMENT: 'production',
  MONGO_URL: 'mongodb://db.example/',
  AMQP_URL: 'amqps://broker.example/gateway',
  JWKS_URL: 'https://auth.example/internal/v1/jwks.json',
  MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  OPERATOR_TOKEN: 'o'.repeat(32),
}
const read = (more: Record<string, string> = {}) => readConfig({ ...complete, ...more }, readDispatcherConfig)

test('the defaults are those of the design', () => {
  expect(read()).toMatchObject({
    port: 8105,
    operatorPort: 8115,
    database: 'webhook_dispatcher',
    retryDelaysMs: [10_000, 60_000, 300_000, 900_000, 3_600_000, 10_800_000, 21_600_000],
    timeoutMs: 10_000,
    endpointConcurrency: 20,
    prefetch: 200,
    sweepOverdueMs: 120_000,
  })
})

test('production refuses to start with hosts opened for development, and with a plain-HTTP key server', () => {
  expect(() => read({ WEBHOOK_ALLOWED_HOSTS: 'localhost' })).toThrow(/WEBHOOK_ALLOWED_HOSTS/u)
  expect(() => read({ JWKS_URL: 'http://auth.example/' })).toThrow(/JWKS_URL/u)
  expect(read({ ENVIRONMENT: 'sandbox', WEBHOOK_ALLOWED_HOSTS: 'LocalHost, 127.0.0.1' }).allowedHosts).toEqual(
    new Set(['localhost', '127.0.0.1']),
  )
})

test('mistakes are named, without their values', () => {
  const mistaken = () => read({ MASTER_KEYS: 'k1:short', WEBHOOK_CA_FILE: '/does/not/exist', WEBHOOK_RETRY_DELAYS: 'soon' })
  for (const name of ['MASTER_KEYS', 'WEBHOOK_CA_FILE', 'WEBHOOK_RETRY_DELAYS']) expect(mistaken).toThrow(new RegExp(name, 'u'))
  expect(mistaken).not.toThrow(/short|soon/u)
})
