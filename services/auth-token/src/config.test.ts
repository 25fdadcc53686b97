import { randomBytes } from 'node:crypto'
import { readConfig } from '@gateway/service-kit'
import { readAuthTokenConfig } from './config.ts'

const callerToken = randomBytes(32).toString('base64url')
const good = {
  ENVIRONMENT: 'sandbox',
  MONGO_URL: 'mongodb://127.0.0.1:27017',
  OPERATOR_TOKEN: randomBytes(32).toString('base64url'),
  CALLER_TOKENS: `api-gateway:${callerToken}`,
  MASTER_KEYS: `m1:${randomBytes(32).toString('base64')}`,
}

test('a complete configuration is read, with the documented default ports and times', () => {
  const config = readConfig(good, readAuthTokenConfig)
  expect(config).toMatchObject({ host: '127.0.0.1', port: 8101, operatorPort: 8111, database: 'auth_token' })
  expect(config.signingKeyRotateAfterMs).toBe(30 * 86_400_000)
})

// Proves: access/operators-have-names
test('operators have names, and two tokens each while one is replaced', () => {
  const [old, next] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')]
  const { operators } = readConfig({ ...good, OPERATOR_TOKENS: `asha:${old}, asha:${next}` }, readAuthTokenConfig)
  expect([...operators]).toEqual([
    ['operator', [good.OPERATOR_TOKEN]],
    ['asha', [old, next]],
  ])
})

// Proves: api/operator-token-has-no-default
test.each([
  ['ENVIRONMENT', 'staging'],
  ['MONGO_URL', 'http://127.0.0.1'],
  ['OPERATOR_TOKEN', ''],
  ['OPERATOR_TOKEN', 'short'],
  ['OPERATOR_TOKEN', callerToken],
  ['OPERATOR_TOKENS', 'asha:short'],
  ['OPERATOR_TOKENS', good.OPERATOR_TOKEN],
  ['OPERATOR_TOKENS', `merchant:${'t0ken-'.repeat(6)}`],
  ['OPERATOR_TOKENS', `asha:${good.OPERATOR_TOKEN}`],
  ['OPERATOR_TOKENS', `asha:${callerToken}`],
  ['OPERATOR_TOKENS', ['1', '2', '3'].map((end) => `asha:${'t0ken-'.repeat(6)}${end}`).join()],
  ['CALLER_TOKENS', 'api-gateway:short'],
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
