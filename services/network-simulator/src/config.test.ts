import { randomBytes } from 'node:crypto'
import { formatSigningSecret } from '@gateway/contracts'
import { readConfig } from '@gateway/service-kit'
import { readSimulatorConfig } from './config.ts'

const complete = {
  ENVIRONMENT: 'sandbox',
  MONGO_URL: 'mongodb://127.0.0.1',
  PUBLIC_URL: 'http://127.0.0.1:8090',
  CALLBACK_URL: 'http://127.0.0.1:8080/network/v1/callbacks',
  PAYMENT_STATUS_URL: 'http://127.0.0.1:8103',
  JWKS_URL: 'http://127.0.0.1:8101/internal/v1/jwks.json',
  NETWORK_API_KEY: randomBytes(32).toString('base64url'),
  NETWORK_CALLBACK_SECRET: formatSigningSecret(Buffer.alloc(32, 1)),
  SERVICE_TOKEN: randomBytes(32).toString('base64url'),
}
const read = (more: Record<string, string> = {}) => readConfig({ ...complete, ...more }, readSimulatorConfig)

test('reads a complete configuration', () => {
  expect(read()).toMatchObject({ port: 8090, database: 'network_simulator', callbackUrl: complete.CALLBACK_URL })
})

// Proves: faults/production-refuses-simulator
test('it refuses production, however good the rest is', () => {
  expect(() => read({ ENVIRONMENT: 'production' })).toThrow(/ENVIRONMENT /u)
})

test.each([
  ['NETWORK_API_KEY', 'short'],
  ['NETWORK_CALLBACK_SECRET', 'whsec_short'],
  ['SERVICE_TOKEN', ''],
  ['JWKS_URL', 'nowhere'],
])('%s=%j is refused', (name, value) => {
  expect(() => read({ [name]: value })).toThrow(new RegExp(`${name} `, 'u'))
})
