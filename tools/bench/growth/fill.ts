/** Fills the databases of all services with finished payments, as if the stack had been used for weeks. */
import { join } from 'node:path'
import { mongo } from 'mongoose'
import { buildAllIndexes } from '@gateway-infra/local/build-indexes'
import { openProgram, serveProgram } from '@gateway-tools/load/program'
import { withCollection, type Bench } from '../payments/stack.ts'
import { COLLECTIONS, copierOf, DATABASES, type StoredPayment } from './templates.ts'

export interface Filling {
  readonly templates: readonly StoredPayment[]
  readonly payments: number
  /** Time of `performance.now()` at which filling ends, complete or not. */
  readonly endsAtMs: number
  readonly tell: (progress: string) => void
}

const PROGRAMS = 2
const PAYMENTS_PER_CALL = 10_000
const TOLD_EACH = 100_000

/** Several programs fill one stack with copies of the templates in turn; resolves with their number. They are numbered from 0. */
export async function fill(bench: Bench, { templates, payments, endsAtMs, tell }: Filling): Promise<number> {
  const { stack, databasePrefix, logDir } = bench
  const programs = Array.from({ length: PROGRAMS }, () => openProgram<typeof functions>(import.meta.filename))
  const shared = { mongoUrl: stack.mongo_url, databasePrefix, templates, total: payments }
  let [next, stored] = [0, 0]
  // To build indexes over all documents at once costs a fraction of changing them with each.
  for (const name of COLLECTIONS) await withCollection(bench, [DATABASES[name], name], dropIndexes)
  try {
    await Promise.all(
      programs.map(async (program) => {
        while (next < payments && performance.now() < endsAtMs) {
          const from = next
          next = Math.min(from + PAYMENTS_PER_CALL, payments)
          stored += await program.call('fillRange', { ...shared, from, to: next })
          if (stored % TOLD_EACH === 0) tell(`${stored} stored`)
        }
      }),
    )
  } finally {
    await Promise.all(programs.map((program) => program.close()))
  }
  await buildAllIndexes({ ...shared, logFile: join(logDir, 'indexes.log') })
  tell('indexes built')
  return stored
}

/** Partial indexes stay: the services look into them all the time, and few documents are in them. */
export async function dropIndexes(collection: mongo.Collection): Promise<void> {
  const indexes = await collection.indexes()
  const whole = indexes.filter(({ name, partialFilterExpression }) => name !== '_id_' && !partialFilterExpression)
  for (const { name = '' } of whole) await collection.dropIndex(name)
}

interface Range {
  readonly mongoUrl: string
  readonly databasePrefix: string
  readonly templates: readonly StoredPayment[]
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

const functions = {
  /** Makes the next batch while the database works on the last one; resolves with the number of payments. */
  async fillRange({ mongoUrl, databasePrefix, templates, from, to, total }: Range): Promise<number> {
    const client = await new mongo.MongoClient(mongoUrl, { maxPoolSize: 8 }).connect()
    const copiers = templates.map(copierOf)
    let writing: Promise<unknown> = Promise.resolve()
    for (let first = from; first < to; first += BATCH) {
      const now = new Date()
      const batch = Array.from({ length: Math.min(BATCH, to - first) }, (_, index) => {
        const number = first + index
        const ageMs = ENDED_BEFORE_MS + (1 - number / total) * SPREAD_OVER_MS
        return copiers[number % copiers.length]?.(number, new Date(now.getTime() - ageMs), now)
      })
      await writing
      writing = insert(
        client,
        databasePrefix,
        batch.filter((copy) => copy !== undefined),
      )
      // A rejection is awaited above, one batch later.
      writing.catch(() => undefined)
    }
    await writing
    await client.close()
    return to - from
  },
}

/** One command per collection, in the order of the keys. */
async function insert(client: mongo.MongoClient, prefix: string, batch: readonly StoredPayment[]): Promise<void> {
  await Promise.all(
    COLLECTIONS.map((name) => {
      const documents: { _id: string }[] = batch.flatMap((payment): readonly { _id: string }[] => payment[name])
      const byKey = documents.toSorted((one, other) => (one._id < other._id ? -1 : 1))
      return client
        .db(prefix + DATABASES[name])
        .collection<{ _id: string }>(name)
        .insertMany(byKey, { ordered: false })
    }),
  )
}

serveProgram(import.meta.filename, functions)
