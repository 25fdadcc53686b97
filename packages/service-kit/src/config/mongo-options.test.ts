import { startFakeReplicaSet } from '../../test/fake-replica-set.ts'
import { silentLog } from '../logging/logger.ts'
import { connectDatabase } from '../mongo/database.ts'
import { readDatabase } from './common.ts'
import { ConfigInvalid, readConfig } from './read-config.ts'

const read = (url: string) => readConfig({ MONGO_URL: url }, (env) => readDatabase(env, 'orders'))

// Proves: operate/database-address-cannot-weaken-durability
test.each([
  ...['w=1', 'w=0', 'w=majority', 'journal=false', 'j=false', 'wtimeoutMS=1', 'wtimeout=1', 'WTimeoutMS=1'],
  ...['readConcernLevel=local', 'readPreference=secondary', 'readPreferenceTags=dc:a', 'maxStalenessSeconds=90'],
  ...['retryWrites=false', 'retryWrites=true', '%77=1'],
  ...['tlsInsecure=true', 'tlsAllowInvalidCertificates=true', 'tlsAllowInvalidHostnames=true'],
])('an address of the database with %s is refused, in words that name the option', (option) => {
  const name = decodeURIComponent(option.split('=')[0] ?? '')
  const url = `mongodb://user:hunter2secret@a:27017,b:27017/orders?replicaSet=rs0&${option}`
  expect(() => read(url)).toThrow(ConfigInvalid)
  expect(() => read(url)).toThrow(`MONGO_URL must not set ${name}`)
  expect(() => read(url)).not.toThrow(/hunter2/u)
})

// Proves: operate/database-address-cannot-weaken-durability
test('every refused option is named', () => {
  expect(() => read('mongodb://a/?w=1&appName=x&journal=false')).toThrow('MONGO_URL must not set w, journal')
})

test.each([
  'mongodb://user:p%40ss@a:27017,b:27018/?replicaSet=rs0&authSource=admin&tls=true&tlsCAFile=/ca.pem',
  'mongodb+srv://user:pass@cluster.example/?appName=w',
  'mongodb://a:27017/orders?directConnection=true&compressors=zstd',
  'mongodb://a:27017',
])('an address that only says where the database is passes: %s', (url) => {
  expect(read(url)).toMatchObject({ mongoUrl: url })
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
