import { randomBytes } from 'node:crypto'
import { startFakeReplicaSet } from '../../test/fake-replica-set.ts'
import { silentLog } from '../logging/logger.ts'
import { connectDatabase } from '../mongo/database.ts'
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

const readMongo = (url: string) => readConfig({ MONGO_URL: url }, (env) => readDatabase(env, 'orders'))

// Proves: operate/database-address-cannot-weaken-durability
test.each([
  ...['w=1', 'w=0', 'w=majority', 'journal=false', 'j=false', 'wtimeoutMS=1', 'wtimeout=1', 'WTimeoutMS=1'],
  ...['readConcernLevel=local', 'readPreference=secondary', 'readPreferenceTags=dc:a', 'maxStalenessSeconds=90'],
  ...['retryWrites=false', 'retryWrites=true', '%77=1'],
  ...['tlsInsecure=true', 'tlsAllowInvalidCertificates=true', 'tlsAllowInvalidHostnames=true'],
])('an address of the database with %s is refused, in words that name the option', (option) => {
  const name = decodeURIComponent(option.split('=')[0] ?? '')
  const url = `mongodb://user:hunter2secret@a:27017,b:27017/orders?replicaSet=rs0&${option}`
  expect(() => readMongo(url)).toThrow(ConfigInvalid)
  expect(() => readMongo(url)).toThrow(`MONGO_URL must not set ${name}`)
  expect(() => readMongo(url)).not.toThrow(/hunter2/u)
})

// Proves: operate/database-address-cannot-weaken-durability
test('every refused option is named', () => {
  expect(() => readMongo('mongodb://a/?w=1&appName=x&journal=false')).toThrow('MONGO_URL must not set w, journal')
})

test.each([
  'mongodb://user:p%40ss@a:27017,b:27018/?replicaSet=rs0&authSource=admin&tls=true&tlsCAFile=/ca.pem',
  'mongodb+srv://user:pass@cluster.example/?appName=w',
  'mongodb://a:27017/orders?directConnection=true&compressors=zstd',
  'mongodb://a:27017',
])('an address that only says where the database is passes: %s', (url) => {
  expect(readMongo(url)).toMatchObject({ mongoUrl: url })
})

test('the driver itself would let the address win: that is why it is refused', async () => {
  const replicaSet = await startFakeReplicaSet(() => ({ n: 1 }))
  const database = await connectDatabase({ url: `${replicaSet.url}&journal=false`, name: 'test', log: silentLog })
  try {
    await database.connection.getClient().db('test').collection('orders').insertOne({})
    expect(replicaSet.commands[0]).toMatchObject({ writeConcern: { j: false } })
  } finally {
    await database.close()
    await replicaSet.stop()
  }
})
