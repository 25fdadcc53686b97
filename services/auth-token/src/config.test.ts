import { randomBytes } from 'node:crypto'
import { readConfig } from '@gateway/service-kit'
import { readAuthTokenConfig } from './config.ts'

const good = {
  ENVIRONMENT: 'sandbox',
  MONGO_URL: 'mongodb://127.0.0.1:27017',
  OPERATOR_TOKEN: randomBytes(32).toString('base64url'),
  INTERNAL_API_TOKEN: randomBytes(32).toString('base64url'),
  MASTER_KEYS: `m1:${randomBytes(32).toString('base64')}`,
}

test('a complete configuration is read, with the documented default ports and times', () => {
  const config = readConfig(good, readAuthTokenConfig)
  expect(config).toMatchObject({ host: '127.0.0.1', port: 8101, operatorPort: 8111, database: 'auth_token' })
  expect(config.signingKeyRotateAfterMs).toBe(30 * 86_400_000)
})

// Proves: api/operator-token-has-no-default
test.each([
  ['ENVIRONMENT', 'staging'],
  ['MONGO_URL', 'http://127.0.0.1'],
  ['OPERATOR_TOKEN', ''],
  ['OPERATOR_TOKEN', 'short'],
  ['OPERATOR_TOKEN', good.INTERNAL_API_TOKEN],
  ['INTERNAL_API_TOKEN', 'short'],
  ['MASTER_KEYS', ''],
  ['MASTER_KEYS', 'm1:c2hvcnQ='],
  ['MASTER_KEYS', `m1:${Buffer.alloc(32).toString('base64')}`],
  ['OPERATOR_PORT', '8101'],
  ['SIGNING_KEY_ROTATE_AFTER', '1s'],
  ['DATABASE', 'a.b'],
  ['LOG_LEVEL', 'loud'],
])('%s=%j is refused', (name, value) => {
  expect(() => readConfig({ ...good, [name]: value }, readAuthTokenConfig)).toThrow(new RegExp(`${name} `, 'u'))
})
