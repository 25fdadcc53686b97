import type { mongo } from 'mongoose'
import { newTransactionId, slotOfOrder } from '@gateway/contracts'
import { silentLog } from '@gateway/service-kit'
import { buildIndexes, connectDatabase, type Database } from '@gateway/service-kit/mongo'
import { anOrder, createSandbox, type Sandbox } from '@gateway/testkit'
import { draftOrder } from '../src/domain/order.ts'
import { mongoCustomers } from '../src/persistence/customers.ts'
import { indexesOf } from '../src/persistence/order-document.ts'
import { mongoOrders } from '../src/persistence/orders.ts'

const now = new Date()

let sandbox: Sandbox
let database: Database
const reads: mongo.CommandStartedEvent[] = []
beforeAll(async () => {
  sandbox = await createSandbox()
  const name = sandbox.database('order_api')
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
test('every read of orders asks for what a majority has stored', async () => {
  const orders = mongoOrders(database.connection, { submit: () => undefined }, () => undefined)
  const customers = mongoCustomers(database.connection)
  const draft = draftOrder(anOrder({ order_id: 'ORD-1' }), {
    merchant: { id: 'M1', name: 'Blue Shirts', vpa: 'blue@okbank', mcc: '5651' },
    transactionId: newTransactionId(now, slotOfOrder('M1', 'ORD-1')),
    fingerprint: 'f',
    correlationId: 'c',
    now,
    limits: { minAmountPaise: 100, maxAmountPaise: 1e9, upiCap: { defaultPaise: 1e7, byMcc: new Map() } },
  })
  const order = { ...draft, intent: '' }
  expect(await orders.insert(order)).toBe(true)

  expect(await orders.find('M1', 'ORD-1')).toMatchObject({ order_id: 'ORD-1' })
  expect(await orders.findByTransaction(order.transaction_id)).toMatchObject({ order_id: 'ORD-1' })
  expect(await orders.findManyByTransaction([order.transaction_id])).toHaveLength(1)
  expect(await customers.purgedUpTo()).toBeUndefined()
  expect(await customers.purgeOrder('M1', 'ORD-1', now)).toEqual({ found: 1, purged: 1 })

  expect(reads).toHaveLength(5)
  for (const { command } of reads) expect(command['readConcern']).toEqual({ level: 'majority' })
})
