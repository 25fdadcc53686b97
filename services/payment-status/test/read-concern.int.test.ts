import type { mongo } from 'mongoose'
import { silentLog } from '@gateway/service-kit'
import { buildIndexes, connectDatabase, type Database } from '@gateway/service-kit/mongo'
import { createSandbox, type Sandbox } from '@gateway/testkit'
import { openTransaction } from '../src/payments/domain/transition.ts'
import { at, orderCreatedEvent, idOfOrder, T1 } from './data.ts'
import { indexesOf, transactionModel } from '../src/payments/persistence/transaction-document.ts'
import { mongoCountOverdue, mongoFindOldestDue } from '../src/observing/overdue.ts'
import { republishChanges } from '../src/exports/persistence/republish.ts'
import { mongoTransactionStore } from '../src/payments/persistence/transaction-store.ts'
import { mongoPages } from '../src/exports/persistence/pages.ts'

let sandbox: Sandbox
let database: Database
const reads: mongo.CommandStartedEvent[] = []
beforeAll(async () => {
  sandbox = await createSandbox()
  const name = sandbox.database('payment_status')
  await buildIndexes({ mongoUrl: sandbox.mongoUrl, database: name }, indexesOf, silentLog)
  database = await connectDatabase({ url: `${sandbox.mongoUrl}/?monitorCommands=true`, name, log: silentLog })
  database.connection.getClient().on('commandStarted', (event) => {
    if (['find', 'aggregate', 'count', 'distinct'].includes(event.commandName)) reads.push(event)
  })
})
afterAll(async () => {
  await database.close()
  await sandbox.remove([])
})

// Proves: faults/failover-rolls-back-nothing-that-was-read
test('every read of transactions asks for what a majority has stored', async () => {
  const { connection } = database
  const model = transactionModel(connection)
  const store = mongoTransactionStore(connection, { submit: () => undefined }, () => undefined)
  await store.insert(openTransaction(orderCreatedEvent()), { immediate: true })
  const T2 = idOfOrder('ORD-2')

  expect(await store.find(T1)).toMatchObject({ id: T1 })
  expect(await store.findMissing([T1, T2])).toEqual([T2])
  expect(await store.findByOrder('M1', 'ORD-1')).toMatchObject({ id: T1 })
  expect((await store.claimDue(at(1200), 1000, 10)).transactions).toHaveLength(1)
  const overdue = { enquiries: 0, reversals: 0, refunds: 0, reversalsDue: 0 }
  expect(await mongoCountOverdue(model)(at(0))).toEqual(overdue)
  expect(await mongoFindOldestDue(model)(at(0))).toBeUndefined()
  expect(await mongoPages(model).histories({ limit: 10 })).toHaveLength(1)
  expect(await republishChanges(connection, at(0), () => undefined)).toBe(0)

  // Two finds of a claim, four counts, and one find each.
  expect(reads.length).toBeGreaterThanOrEqual(12)
  for (const { command } of reads) expect(command['readConcern']).toEqual({ level: 'majority' })
})
