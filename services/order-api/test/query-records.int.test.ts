import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { silentLog } from '@gateway/service-kit'
import { connectDatabase, type Database } from '@gateway/service-kit/mongo'
import { createSandbox, type Sandbox } from '@gateway/testkit'
import type { RecordedStatement } from '@gateway/testkit/queries/recorder'
import { mongoOrders } from '../src/persistence/orders.ts'

let sandbox: Sandbox
let database: Database
beforeAll(async () => {
  sandbox = await createSandbox()
  database = await connectDatabase({ url: sandbox.mongoUrl, name: sandbox.database('order_api'), log: silentLog })
})
afterAll(async () => {
  await database.close()
  await sandbox.remove([])
})

/** What this process has recorded of a line's statements. */
async function recordedOf(path: string): Promise<RecordedStatement[]> {
  const text = await readFile(join(process.env['QUERY_RECORDS'] ?? '', `${process.pid}.jsonl`), 'utf8')
  const lines = text.split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line) as RecordedStatement).filter(({ site }) => site?.startsWith(path))
}

// Proves: scale/queries-are-classified
test("queries of a service are recorded with their line and without values; a test's own are not", async () => {
  const orders = mongoOrders(database.connection, { submit: () => undefined }, () => undefined)
  await orders.find('MERCHANT-X', 'ORD-X')
  await orders.findManyByTransaction(['01KAVWQZ5E8J3N7R2T4V6X9YBC00'])
  const own = sandbox.client.db(sandbox.database('order_api')).collection('orders')
  await own.find({ of_this_test: 1 }).toArray()

  const recorded = await recordedOf('services/order-api/src/persistence/orders.ts:')
  // One by Mongoose and one by the driver.
  expect(new Set(recorded.map(({ site }) => site)).size).toBeGreaterThanOrEqual(2)
  expect(recorded).toContainEqual(expect.objectContaining({ collection: 'order-api.orders', command: 'find' }))
  expect(JSON.stringify(recorded)).not.toMatch(/MERCHANT-X|ORD-X/u)
  expect(JSON.stringify(await recordedOf(''))).not.toContain('of_this_test')
})
