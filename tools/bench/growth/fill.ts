/** Fills the databases of all services with finished payments, as if the stack had been used for weeks. */
import { mongo } from 'mongoose'
import { openProgram, serveCommands } from '@gateway-tools/load/program'
import type { Bench } from '../payments/stack.ts'
import { makeStoredPayment, merchantIndexOf, type StoredMerchant } from './stored-payment.ts'
import { withoutIndexes } from './without-indexes.ts'

export interface Filling {
  readonly payments: number
  /** Time of `performance.now()` at which filling ends, complete or not. */
  readonly endsAtMs: number
  readonly tell: (progress: string) => void
}

/** One payment leaves one or more documents in each: the database without its prefix, and the collection. */
const FILLED = [
  ['order_api', 'orders'],
  ['payment_status', 'transactions'],
  ['webhook_dispatcher', 'deliveries'],
  ['network_simulator', 'payments'],
] as const
const PROGRAMS = 2
const PAYMENTS_PER_COMMAND = 10_000
const TOLD_EACH = 100_000

/** Several programs fill one stack; resolves with the number of stored payments, which are numbered from 0. */
export async function fill(bench: Bench, { payments, endsAtMs, tell }: Filling): Promise<number> {
  const { stack, databasePrefix, receiver } = bench
  const programs = Array.from({ length: PROGRAMS }, () => openProgram<FillCommand, number>(import.meta.filename))
  const merchants = bench.merchants.map(({ merchant_id: id, name, vpa, mcc }) => {
    return { id, name, vpa, mcc, webhookUrl: receiver.urls[0] ?? '' }
  })
  let [next, stored] = [0, 0]
  const fillAll = (): Promise<unknown> =>
    Promise.all(
      programs.map(async (program) => {
        while (next < payments && performance.now() < endsAtMs) {
          const from = next
          next = Math.min(from + PAYMENTS_PER_COMMAND, payments)
          stored += await program.call({ mongoUrl: stack.mongo_url, databasePrefix, merchants, from, to: next, total: payments })
          if (stored % TOLD_EACH === 0) tell(`${stored} stored`)
        }
      }),
    )
  const names = FILLED.map(([database, collection]) => [databasePrefix + database, collection] as const)
  try {
    await withoutIndexes({ mongoUrl: stack.mongo_url, names, tell }, fillAll)
  } finally {
    await Promise.all(programs.map((program) => program.close()))
  }
  return stored
}

interface FillCommand {
  readonly mongoUrl: string
  readonly databasePrefix: string
  readonly merchants: readonly StoredMerchant[]
  /** The first number, and the one after the last. */
  readonly from: number
  readonly to: number
  /** Of all numbers: their ages are spread over it. */
  readonly total: number
}

/** Within every retention, and long enough ago that most payments have nothing left to do. */
const SPREAD_OVER_MS = 20 * 24 * 3600 * 1000
const ENDED_BEFORE_MS = 3600 * 1000
/** Payments per insert. */
const BATCH = 400

/** Makes the next batch while the database works on the last one; resolves with the number of payments. */
async function fillRange(command: FillCommand): Promise<number> {
  const client = await new mongo.MongoClient(command.mongoUrl, { maxPoolSize: 8 }).connect()
  let writing: Promise<unknown> = Promise.resolve()
  for (let from = command.from; from < command.to; from += BATCH) {
    const batch = makeBatch(command, from, Math.min(from + BATCH, command.to))
    await writing
    writing = insert(client, command.databasePrefix, batch)
    // A rejection is awaited above, one batch later.
    writing.catch(() => undefined)
  }
  await writing
  await client.close()
  return command.to - command.from
}

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

/** One command per collection, in the order of the keys. */
async function insert(client: mongo.MongoClient, prefix: string, batch: Batch): Promise<void> {
  const documents: Readonly<Record<(typeof FILLED)[number][0], readonly { readonly _id: string }[]>> = {
    order_api: batch.map(({ order }) => order),
    payment_status: batch.map(({ transaction }) => transaction),
    webhook_dispatcher: batch.flatMap(({ deliveries }) => deliveries),
    network_simulator: batch.map(({ payment }) => payment),
  }
  await Promise.all(
    FILLED.map(([database, name]) => {
      const byKey = documents[database].toSorted((one, other) => (one._id < other._id ? -1 : 1))
      const collection = client.db(prefix + database).collection<{ _id: string }>(name)
      return collection.insertMany(byKey, { ordered: false })
    }),
  )
}

if (process.argv[1] === import.meta.filename) serveCommands(fillRange)
