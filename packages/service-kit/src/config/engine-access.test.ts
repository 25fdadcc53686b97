import { randomBytes } from 'node:crypto'
import { readBroker, readDatabase } from './common.ts'
import { ConfigInvalid, readConfig } from './read-config.ts'
import type { EnvReader } from './reader.ts'

const password = randomBytes(24).toString('base64url')
const MONGO_URL = `mongodb://gateway:${password}@a.example,b.example/?replicaSet=rs0&tls=true`
const AMQP_URL = `amqps://gateway:${password}@broker.example/gateway`
const CERTIFICATE = 'authMechanism=MONGODB-X509'

const read = (env: EnvReader) => ({ environment: env.environment(), ...readDatabase(env, 'any'), ...readBroker(env) })

/** The problems of a configuration, without the values. */
function problemsOf(variables: Record<string, string>, environment = 'production'): string {
  try {
    readConfig({ ENVIRONMENT: environment, MONGO_URL, AMQP_URL, ...variables }, read)
    return ''
  } catch (error) {
    if (error instanceof ConfigInvalid) return error.message
    throw error
  }
}

// Proves: deploy/production-engines-need-login-and-tls
test.each([
  ['MONGO_URL', MONGO_URL],
  ['MONGO_URL', `mongodb+srv://gateway:${password}@db.example/`],
  ['MONGO_URL', `mongodb://db.example/?tls=true&${CERTIFICATE}`],
  ['AMQP_URL', `${AMQP_URL},${AMQP_URL}`],
  ['NODE_TLS_REJECT_UNAUTHORIZED', '1'],
])('production takes %s with a login and TLS', (name, value) => {
  expect(problemsOf({ [name]: value })).toBe('')
})

// Proves: deploy/production-engines-need-login-and-tls
test.each([
  ['MONGO_URL', 'mongodb://db.example/?tls=true'],
  ['MONGO_URL', 'mongodb://gateway@db.example/?tls=true'],
  ['MONGO_URL', `mongodb://gateway:${password}@db.example/`],
  ['MONGO_URL', `mongodb://gateway:${password}@a.example,b.example/?tls=false`],
  ['MONGO_URL', `mongodb+srv://gateway:${password}@db.example/?ssl=false`],
  ['MONGO_URL', `mongodb://db.example/?${CERTIFICATE}`],
  ['AMQP_URL', `amqp://gateway:${password}@broker.example`],
  ['AMQP_URL', 'amqps://broker.example'],
  ['AMQP_URL', `amqps://guest:${password}@broker.example`],
  ['AMQP_URL', `${AMQP_URL}?verify=verify_none`],
  ['AMQP_URL', `${AMQP_URL},amqp://gateway:${password}@other.example`],
  ['NODE_TLS_REJECT_UNAUTHORIZED', '0'],
])('production refuses %s=%s', (name, value) => {
  const problems = problemsOf({ [name]: value })
  expect(problems).toMatch(new RegExp(`- ${name} must`, 'u'))
  expect(problems).not.toContain(password)
})

// Proves: deploy/production-engines-need-login-and-tls
test('in the sandbox an engine on localhost needs neither', () => {
  const local = {
    MONGO_URL: 'mongodb://127.0.0.1:27017',
    AMQP_URL: 'amqp://guest:guest@localhost',
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
  }
  expect(problemsOf(local, 'sandbox')).toBe('')
})
