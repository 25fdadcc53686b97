import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { mongo } from 'mongoose'
import { connectToModel } from './model-client.ts'
import type { Collection, Operation, Shape, Stored } from './operations.ts'
import { transactions } from './payment-shapes.ts'
import { copies, deliveries, endpoints } from './webhook-shapes.ts'

/**
 * Random commands, as the services send them, on the model and on a real server (FerretDB), through the real driver: each answer and
 * the contents at the end must be equal.
 */
let real: mongo.MongoClient
let model: Awaited<ReturnType<typeof connectToModel>>
const database = `sim_${randomBytes(5).toString('hex')}`

beforeAll(async () => {
  const { MONGO_URL: url } = process.env
  if (!url) throw new Error('integration tests need MONGO_URL: run them with npm test')
  real = await new mongo.MongoClient(url).connect()
  model = await connectToModel({ lagMs: () => 0.1 }, { writeConcern: { w: 'majority' } })
})

afterAll(async () => {
  await real.db(database).dropDatabase()
  await real.close()
  await model.close()
})

async function prepare(client: mongo.MongoClient, name: string, { indexes }: Shape): Promise<Collection> {
  const collection = client.db(database).collection<Stored>(name)
  await collection.createIndexes([...indexes])
  return collection
}

/** The result of a command, or its error as far as it is part of the protocol: codes, places and counts, but not the words. */
async function outcomeOf(operation: Operation, collection: Collection): Promise<unknown> {
  try {
    return await operation.run(collection)
  } catch (error) {
    if (error instanceof mongo.MongoBulkWriteError) {
      const { insertedCount, matchedCount, modifiedCount, upsertedCount } = error
      const writeErrors = [error.writeErrors].flat().map(({ index, code }) => ({ index, code }))
      return { insertedCount, matchedCount, modifiedCount, upsertedCount, writeErrors }
    }
    if (error instanceof mongo.MongoServerError) return { code: error.code }
    throw error
  }
}

async function contents(collection: Collection): Promise<Stored[]> {
  return collection.find({}, { sort: { _id: 1 } }).toArray()
}

// Proves: faults/mongodb-model-answers-as-a-server
test.each([
  ['transactions', transactions],
  ['deliveries', deliveries],
  ['endpoints', endpoints],
  ['copies', copies],
])('random commands on %s have the same answers and leave the same documents', async (name, shape) => {
  const both = { real: await prepare(real, name, shape), model: await prepare(model.client, name, shape) }
  const history = fc.array(shape.operation, { minLength: 1, maxLength: 25, size: 'max' })
  const check = async (operations: readonly Operation[]): Promise<void> => {
    await Promise.all([both.real.deleteMany({}), both.model.deleteMany({})])
    for (const operation of operations) {
      const answers = await Promise.all([outcomeOf(operation, both.model), outcomeOf(operation, both.real)])
      expect({ operation: operation.text, answer: answers[0] }).toEqual({ operation: operation.text, answer: answers[1] })
    }
    expect(await contents(both.model)).toEqual(await contents(both.real))
  }
  const described = history.map((operations) =>
    Object.assign([...operations], { toString: () => operations.map(({ text }) => text).join('\n') }),
  )
  await fc.assert(fc.asyncProperty(described, check), { numRuns: 50 })
})
