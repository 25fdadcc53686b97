import { connectDatabase, type Database } from '../src/database.ts'
import { silentLog } from '../src/logger.ts'

let database: Database
beforeAll(async () => {
  const url = process.env['MONGO_URL'] ?? 'mongodb://127.0.0.1:27017'
  database = await connectDatabase({ url, name: 'test_service_kit', log: silentLog })
})
afterAll(() => database.close())

test('reads go to the primary, and a write counts when a majority has it on disk', () => {
  const { readPreference, writeConcern } = database.connection.getClient().options
  expect(readPreference.mode).toBe('primary')
  expect(writeConcern).toMatchObject({ w: 'majority', journal: true })
})

test('it is up when it answers', async () => {
  expect(await database.check.isUp()).toBe(true)
  expect(database.check.critical).toBe(true)
})
