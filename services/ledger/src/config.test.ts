import { randomBytes } from 'node:crypto'
import { ConfigInvalid, readConfig } from '@gateway/service-kit'
import { readLedgerConfig } from './config.ts'

const GOOD = {
  ENVIRONMENT: 'sandbox',
  MONGO_URL: 'mongodb://127.0.0.1:27017',
  AMQP_URL: 'amqp://127.0.0.1',
  JWKS_URL: 'http://127.0.0.1:8101/internal/v1/jwks.json',
  PAYMENT_STATUS_URL: 'http://127.0.0.1:8103',
  WEBHOOK_DISPATCHER_URL: 'http://127.0.0.1:8105',
  SERVICE_TOKEN: randomBytes(32).toString('base64url'),
  OPERATOR_TOKEN: randomBytes(32).toString('base64url'),
  PAYER_HASH_KEY: randomBytes(32).toString('base64'),
}

test('a complete configuration is read; its key is not shown', () => {
  const config = readConfig(GOOD, readLedgerConfig)
  expect(config).toMatchObject({ port: 8106, operatorPort: 8116, database: 'ledger', paymentStatusUrl: 'http://127.0.0.1:8103' })
  expect(JSON.stringify(config)).not.toContain(GOOD.PAYER_HASH_KEY)
})

test.each(Object.keys(GOOD).filter((name) => name !== 'ENVIRONMENT'))('without %s it does not start', (name) => {
  const { [name as keyof typeof GOOD]: _, ...others } = GOOD
  expect(() => readConfig(others, readLedgerConfig)).toThrow(ConfigInvalid)
  expect(() => readConfig(others, readLedgerConfig)).toThrow(name)
})

test('a key that is too short is refused', () => {
  const short = randomBytes(8).toString('base64')
  expect(() => readConfig({ ...GOOD, PAYER_HASH_KEY: short }, readLedgerConfig)).toThrow('PAYER_HASH_KEY')
})

test.each([
  ['SETTLEMENT_HOLIDAYS', '2026-10-02,2026-02-30'],
  ['SETTLEMENT_SINCE', 'yesterday'],
  ['SETTLEMENT_CAPTURE_DAYS', '61'],
  ['SETTLEMENT_FILE_MAX_MB', '0'],
])('%s=%s is refused', (name, value) => {
  expect(() => readConfig({ ...GOOD, [name]: value }, readLedgerConfig)).toThrow(name)
})
