/** The database alone: the same driver, the same number of calls at once, and nothing else. */
import { mongo } from 'mongoose'
import { runCallers, type Callers } from '@gateway-tools/load/pacing'
import { serveProgram } from '@gateway-tools/load/program'

export type LimitFunctions = typeof functions

type Filler = mongo.Document & { readonly _id: string; readonly filler: string }

let documents: mongo.Collection<Filler> | undefined
let filler = ''
let inserted = 0

const functions = {
  async connect(mongoUrl: string, database: string, documentBytes: number): Promise<void> {
    // As the services connect: acknowledged by a majority, with its journal written (design, section 3).
    const client = await new mongo.MongoClient(mongoUrl, { writeConcern: { w: 'majority', journal: true } }).connect()
    documents = client.db(database).collection<Filler>('limit')
    filler = 'x'.repeat(documentBytes)
  },

  insertOne: (callers: Callers) =>
    measure(callers, async () => {
      inserted += 1
      await documents?.insertOne({ _id: idOf(inserted), filler })
    }),

  findOne: (callers: Callers) =>
    measure(callers, async () => {
      const found = await documents?.findOne({ _id: idOf(Math.ceil(Math.random() * inserted)) })
      if (!found) throw new Error('a document that was inserted is not found')
    }),
}

async function measure(callers: Callers, call: () => Promise<void>) {
  const startedMs = performance.now()
  const latenciesMs: number[] = []
  await runCallers(callers, async () => {
    const sentMs = performance.now()
    await call()
    latenciesMs.push(performance.now() - sentMs)
  })
  return { latenciesMs, tookMs: performance.now() - startedMs }
}

function idOf(number: number): string {
  return `limit-document-${process.pid}-${number}`
}

serveProgram(import.meta.filename, functions)
