import { randomBytes } from 'node:crypto'
import { readConfig } from '@gateway/service-kit'
import { readDispatcherConfig } from './config.ts'

const complete = {
  ENVIRONMENT: 'production',
  MONGO_URL: `mongodb://gateway:${randomBytes(24).toString('base64url')}@db.example/?tls=true`,
  AMQP_URL: `amqps://gateway:${randomBytes(24).toString('base64url')}@broker.example/gateway`,
  JWKS_URL: 'https://auth.example/internal/v1/jwks.json',
  MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  OPERATOR_TOKEN: randomBytes(32).toString('base64url'),
}
const read = (more: Record<string, string> = {}) => readConfig({ ...complete, ...more }, readDispatcherConfig)

// Proves: webhooks/exchange-takes-10-s-at-most, webhooks/default-retry-schedule, webhooks/sweep-publishes-overdue
test('the defaults are those of the design', () => {
  expect(read()).toMatchObject({
    port: 8105,
    operatorPort: 8115,
    database: 'webhook_dispatcher',
    retryDelaysMs: [10_000, 60_000, 300_000, 900_000, 3_600_000, 10_800_000, 21_600_000],
    timeoutMs: 10_000,
    endpointConcurrency: 20,
    prefetch: 400,
    sweepOverdueMs: 120_000,
    parkDelaysMs: [500, 2000, 10_000, 30_000, 120_000, 300_000],
    disableAfterMs: 5 * 86_400_000,
    breaker: { window: 10, minResults: 5, failureShare: 0.8, firstOpenMs: 5000, maxOpenMs: 300_000, fullSlots: 20 },
  })
})

test('finished records are kept for 30 days, and an audit needs to know where payment-status is', () => {
  const day = 86_400_000
  expect(read()).toMatchObject({ retentionMs: 30 * day, paymentStatus: undefined, auditGraceMs: 60_000, queueRestMs: 600_000 })
  expect(read({ DELIVERY_RETENTION_DAYS: '7' }).retentionMs).toBe(7 * day)
  expect(() => read({ DELIVERY_RETENTION_DAYS: '0' })).toThrow(/DELIVERY_RETENTION_DAYS/u)
  const token = randomBytes(32).toString('base64url')
  const url = 'https://status.example'
  expect(read({ PAYMENT_STATUS_URL: url, SERVICE_TOKEN: token }).paymentStatus).toEqual({ url, token })
  expect(() => read({ PAYMENT_STATUS_URL: url })).toThrow(/SERVICE_TOKEN is required/u)
  expect(() => read({ PAYMENT_STATUS_URL: 'http://status.example', SERVICE_TOKEN: token })).toThrow(/PAYMENT_STATUS_URL/u)
})

test("a service's token is not accepted from operators", () => {
  const token = randomBytes(32).toString('base64url')
  expect(() => read({ CALLER_TOKENS: `ledger:${token}`, OPERATOR_TOKEN: token })).toThrow(/OPERATOR_TOKEN/u)
})

test('a deployment without a ledger has no caller of internal routes', () => {
  const token = randomBytes(32).toString('base64url')
  expect(read().callers).toEqual(new Map())
  expect(read({ CALLER_TOKENS: `ledger:${token}` }).callers).toEqual(new Map([['ledger', [token]]]))
  expect(() => read({ CALLER_TOKENS: 'ledger:short' })).toThrow(/CALLER_TOKENS/u)
})

// Proves: webhooks/ports-are-limited
test('webhooks go to port 443 unless more ports, or all, are configured', () => {
  expect(read().endpointPorts).toEqual(new Set([443]))
  expect(read({ WEBHOOK_PORTS: '443, 8443' }).endpointPorts).toEqual(new Set([443, 8443]))
  expect(read({ WEBHOOK_PORTS: 'any' }).endpointPorts).toBe('any')
  for (const wrong of ['0', '65536', '443,', 'https', '-1', '44 3'])
    expect(() => read({ WEBHOOK_PORTS: wrong })).toThrow(/WEBHOOK_PORTS/u)
})

test('the delays of the delay queue are sorted, and their number is limited', () => {
  expect(read({ WEBHOOK_PARK_DELAYS: '10s,1s' }).parkDelaysMs).toEqual([1000, 10_000])
  const many = Array.from({ length: 11 }, (_, index) => `${index + 1}s`).join(',')
  expect(() => read({ WEBHOOK_PARK_DELAYS: many })).toThrow(/WEBHOOK_PARK_DELAYS/u)
})

test('the hosts of endpoints are resolved by the DNS servers of the system, or by those that are named', () => {
  expect(read().dnsServers).toBeUndefined()
  expect(read({ WEBHOOK_DNS_SERVERS: '192.0.2.53,[2001:db8::53]:5353' }).dnsServers).toEqual([
    '192.0.2.53',
    '[2001:db8::53]:5353',
  ])
  expect(() => read({ WEBHOOK_DNS_SERVERS: 'dns.example' })).toThrow(/WEBHOOK_DNS_SERVERS/u)
})

// Proves: webhooks/production-refuses-allowed-hosts, faults/production-refuses-plain-http
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
