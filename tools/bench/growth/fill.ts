/** Fills the databases of all services with payments that are over, as if the stack had been used for weeks. */
import { mongo } from 'mongoose'
import { serveCommands } from '../payments/program.ts'
import { FILLED, type Filled } from './filled.ts'
import { makeStoredPayment, merchantIndexOf, type StoredMerchant } from './stored-payment.ts'

export interface FillCommand {
  readonly mongoUrl: string
  readonly databasePrefix: string
  readonly merchants: readonly StoredMerchant[]
  /** The first number, and the one after the last. */
  readonly from: number
  readonly to: number
  /** Of all numbers, over which the time until now is spread. */
  readonly total: number
}

export interface FillAnswer {
  readonly stored: number
}

/** Within every retention, and long enough that most of it has nothing left to do. */
const SPREAD_OVER_MS = 20 * 24 * 3600 * 1000
const ENDED_BEFORE_MS = 3600 * 1000
/** Payments per command; each is a document or more in four databases. */
const BATCH = 400

/** Commands of one batch go at once, each on a connection of its own; the next batch is made while the database works. */
serveCommands<FillCommand, FillAnswer>(async (command) => {
  const client = await new mongo.MongoClient(command.mongoUrl, { maxPoolSize: 8 }).connect()
  let writing: Promise<unknown> = Promise.resolve()
  for (let from = command.from; from < command.to; from += BATCH) {
    const batch = makeBatch(command, from, Math.min(from + BATCH, command.to))
    await writing
    writing = insert(client, command.databasePrefix, batch)
    // Its rejection is seen at the next turn.
    writing.catch(() => undefined)
  }
  await writing
  await client.close()
  return { stored: command.to - command.from }
})

type Batch = ReturnType<typeof makeBatch>

function makeBatch({ merchants, total }: FillCommand, from: number, to: number) {
  const now = new Date()
  return Array.from({ length: to - from }, (_, index) => {
    const number = from + index
    const merchant = merchants[merchantIndexOf(number, merchants.length)]
    if (!merchant) throw new Error('there is no merchant')
    const ageMs = ENDED_BEFORE_MS + (1 - number / total) * SPREAD_OVER_MS
    return makeStoredPayment({ number, merchant, createdAt: new Date(now.getTime() - ageMs), now })
  })
}

async function insert(client: mongo.MongoClient, prefix: string, batch: Batch): Promise<void> {
  const documents: Readonly<Record<Filled, readonly { readonly _id: string }[]>> = {
    order_api: batch.map(({ order }) => order),
    payment_status: batch.map(({ transaction }) => transaction),
    webhook_dispatcher: batch.flatMap(({ deliveries }) => deliveries),
    network_simulator: batch.map(({ payment }) => payment),
  }
  await Promise.all(
    FILLED.map(async ([database, collection]) => {
      const byKey = documents[database].toSorted((one, other) => (one._id < other._id ? -1 : 1))
      await client
        .db(prefix + database)
        .collection<{ _id: string }>(collection)
        .insertMany(byKey, { ordered: false })
    }),
  )
}
