import { randomBytes } from 'node:crypto'
import { readConfig } from '@gateway/service-kit'
import { readGatewayConfig } from './config.ts'

const URLS = ['AUTH_TOKEN_URL', 'ORDER_API_URL', 'PAYMENT_STATUS_URL', 'CHECKOUT_URL', 'WEBHOOK_DISPATCHER_URL']
const environmentOf = (scheme: string) =>
  Object.fromEntries(URLS.map((name) => [name, `${scheme}://${name.toLowerCase()}.example`]))
const good = { ENVIRONMENT: 'sandbox', SERVICE_TOKEN: randomBytes(32).toString('base64url'), ...environmentOf('http') }

// Proves: api/rate-limit-per-merchant
test('a complete configuration is read, with the default limits of the design', () => {
  expect(readConfig(good, readGatewayConfig)).toMatchObject({
    port: 8080,
    metricsPort: undefined,
    upstreamTimeoutMs: 10_000,
    limits: { createPerSecond: 100, readPerSecond: 200, anonymousPerSecond: 20, checkoutPerSecond: 50 },
    trustedProxies: [],
  })
})

test('trusted proxies are named by keyword, address or network', () => {
  const { trustedProxies } = readConfig({ ...good, TRUST_PROXY: 'loopback, 10.0.0.0/8, 2001:db8::1' }, readGatewayConfig)
  expect(trustedProxies).toEqual(['loopback', '10.0.0.0/8', '2001:db8::1'])
})

// Proves: api/callbacks-from-allowed-networks
test('callbacks may be limited to networks', () => {
  const read = (value: string) => readConfig({ ...good, CALLBACK_ALLOWED_NETWORKS: value }, readGatewayConfig).callbackNetworks
  expect(read('')).toEqual([])
  expect(read('203.0.113.0/24, 2001:db8::1')).toEqual(['203.0.113.0/24', '2001:db8::1'])
  expect(() => read('everywhere')).toThrow(/CALLBACK_ALLOWED_NETWORKS /u)
})

test.each([
  ...URLS.map((name) => [name, ''] as const),
  ['SERVICE_TOKEN', 'short'] as const,
  ['UPSTREAM_TIMEOUT', '10ms'] as const,
])('%s=%j is refused', (name, value) => {
  expect(() => readConfig({ ...good, [name]: value }, readGatewayConfig)).toThrow(new RegExp(`${name} `, 'u'))
})

test.each(['true', '1', '0.0.0.0/0', '::/0', 'everybody', '10.0.0.0/33'])('trusting %s is refused', (value) => {
  expect(() => readConfig({ ...good, TRUST_PROXY: value }, readGatewayConfig)).toThrow(/TRUST_PROXY /u)
})

// Proves: faults/production-refuses-plain-http, faults/production-refuses-simulator
test('production refuses plain HTTP and a simulator', () => {
  const production = { ...good, ENVIRONMENT: 'production', ...environmentOf('https') }
  expect(readConfig(production, readGatewayConfig).upstreams.networkSimulator).toBeUndefined()
  for (const name of URLS) {
    expect(() => readConfig({ ...production, [name]: 'http://plain.example' }, readGatewayConfig)).toThrow(
      new RegExp(`${name} `, 'u'),
    )
  }
  const simulated = { ...production, NETWORK_SIMULATOR_URL: 'https://simulator.example' }
  expect(() => readConfig(simulated, readGatewayConfig)).toThrow(/NETWORK_SIMULATOR_URL /u)
})
