import mongoose, { type mongo } from 'mongoose'
import { newTransactionId, slotOfOrder } from '@gateway/contracts'
import { anOrder, createSandbox, type Sandbox } from '@gateway/testkit'
import { draftOrder } from '../src/domain/order.ts'
import { orderModel, toDocument, type OrderDocument } from '../src/persistence/order-document.ts'
import { republishOrders } from '../src/persistence/republish.ts'

const DAY_MS = 86_400_000
const YEAR_MS = 365 * DAY_MS
const LIMITS = { minAmountPaise: 100, maxAmountPaise: 1_000_000_000, upiCap: { defaultPaise: 10_000_000, byMcc: new Map() } }

let sandbox: Sandbox
let connection: mongoose.Connection
const finds: mongo.Document[] = []
beforeAll(async () => {
  sandbox = await createSandbox()
  const dbName = sandbox.database('order_api')
  connection = await mongoose.createConnection(sandbox.mongoUrl, { dbName, monitorCommands: true }).asPromise()
  await orderModel(connection).createIndexes()
  connection.getClient().on('commandStarted', ({ commandName, command }: mongo.CommandStartedEvent) => {
    if (commandName === 'find') finds.push(command)
  })
})
afterAll(async () => {
  await connection.close()
  await sandbox.remove([])
})

const orders = () => connection.collection<OrderDocument>('orders')

/** An order of this age whose event is published. */
function anOld(ageMs: number, number: number): OrderDocument {
  const now = new Date(Date.now() - ageMs)
  const order = draftOrder(
    { ...anOrder(), order_id: `OLD-${ageMs}-${number}` },
    {
      merchant: { id: 'M1', name: 'Blue Shirts', vpa: 'blue@okbank', mcc: '5651' },
      transactionId: newTransactionId(now, slotOfOrder('M1', `OLD-${ageMs}-${number}`)),
      fingerprint: 'f',
      correlationId: 'c',
      now,
      limits: LIMITS,
    },
  )
  return { ...toDocument({ ...order, intent: '' }), outbox: [] }
}

/** The events that were put back so far; clears them as if they were published. */
async function take(): Promise<string[]> {
  const found = await orders()
    .find({ 'outbox.at': { $exists: true } })
    .toArray()
  await orders().updateMany({}, { $set: { outbox: [] } })
  return found.flatMap(({ outbox }) => outbox.map(({ id }) => id))
}

// Proves: operate/republish-after-restore
test('every order since then once, over quiet years and a busy second, in few steps and without reading any customer', async () => {
  const quiet = [400 * DAY_MS, 300 * DAY_MS, 299 * DAY_MS].map(anOld)
  const busy = Array.from({ length: 1500 }, (_, number) => anOld(30 * DAY_MS + (number % 3) * 500, number))
  await orders().insertMany([...quiet, ...busy, anOld(-DAY_MS, 0)])

  const taken: Promise<string[]>[] = []
  const count = await republishOrders(connection, new Date(Date.now() - YEAR_MS), () => void taken.push(take()))
  taken.push(take())
  const wanted = [...quiet.slice(1), ...busy].map(({ transaction_id: transactionId }) => `${transactionId}.0`)
  expect(count).toBe(wanted.length)
  expect((await Promise.all(taken)).flat().toSorted()).toEqual(wanted.toSorted())

  const reads = finds.filter(({ filter }) => JSON.stringify(filter).includes('transaction_id'))
  expect(reads.length).toBeLessThan(200)
  for (const { projection } of reads) expect(projection).toMatchObject({ customer: 0, outbox: 0 })
})
