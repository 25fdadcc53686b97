/** The database alone: the same driver, the same number of calls at once, and nothing else. */
import { mongo } from 'mongoose'
import { runCallers } from '@gateway-tools/load/pacing'
import { serveCommands } from '@gateway-tools/load/program'

export type LimitCommand =
  | { readonly kind: 'connect'; readonly mongoUrl: string; readonly database: string; readonly documentBytes: number }
  | { readonly kind: 'insertOne' | 'findOne'; readonly concurrency: number; readonly durationMs: number }
  | { readonly kind: 'remove' }

export interface LimitAnswer {
  readonly latenciesMs: readonly number[]
  readonly tookMs: number
}

interface Filler extends mongo.Document {
  readonly _id: string
  readonly filler: string
}

let client: mongo.MongoClient | undefined
let documents: mongo.Collection<Filler> | undefined
let filler = ''
let inserted = 0

serveCommands<LimitCommand, LimitAnswer>(async (command) => {
  const startedMs = performance.now()
  const latenciesMs: number[] = []
  const timed = (call: () => Promise<void>) => async () => {
    const sentMs = performance.now()
    await call()
    latenciesMs.push(performance.now() - sentMs)
  }
  switch (command.kind) {
    case 'connect':
      // As the services connect: acknowledged by a majority, with its journal written (design, section 3).
      client = await new mongo.MongoClient(command.mongoUrl, { writeConcern: { w: 'majority', journal: true } }).connect()
      documents = client.db(command.database).collection<Filler>('limit')
      filler = 'x'.repeat(command.documentBytes)
      break
    case 'insertOne':
      await runCallers(command, timed(insertOne))
      break
    case 'findOne':
      await runCallers(command, timed(findOne))
      break
    case 'remove':
      await documents?.drop()
      await client?.close()
      break
  }
  return { latenciesMs, tookMs: performance.now() - startedMs }
})

async function insertOne(): Promise<void> {
  inserted += 1
  await documents?.insertOne({ _id: idOf(inserted), filler })
}

async function findOne(): Promise<void> {
  const found = await documents?.findOne({ _id: idOf(Math.ceil(Math.random() * inserted)) })
  if (!found) throw new Error('a document that was inserted is not found')
}

function idOf(number: number): string {
  return `limit-document-${process.pid}-${number}`
}
