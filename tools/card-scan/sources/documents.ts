import { mongo } from 'mongoose'
import type { Source } from './source.ts'

/** The server's own. */
const SYSTEM_DATABASES = new Set(['admin', 'config', 'local'])
const PIECE_BYTES = 256 * 1024
/** Between two values: nothing that could stand within a number. */
const BETWEEN = '\u0001'
/** Dates of our time are dates; any other count of milliseconds may be anything. */
const OUR_TIME = { from: Date.parse('2001-01-01'), to: Date.parse('2100-01-01') }

/**
 * Every document of every database whose name begins with `prefix`, read through the driver: the database may compress large
 * values, so that its files alone prove nothing.
 */
export async function documents(client: mongo.MongoClient, prefix: string): Promise<Source[]> {
  const { databases } = await client.db('admin').admin().listDatabases()
  const names = databases.map(({ name }) => name).filter((name) => name.startsWith(prefix) && !SYSTEM_DATABASES.has(name))
  const collections = await Promise.all(names.map(async (name) => client.db(name).listCollections().toArray()))
  return names.flatMap((database, place) =>
    (collections[place] ?? []).map(({ name }): Source => ({
      group: `documents of ${database}`,
      name: `${database}.${name}`,
      policy: 'any',
      open: () => readDocuments(client.db(database).collection(name)),
    })),
  )
}

async function* readDocuments(collection: mongo.Collection): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = []
  let bytes = 0
  for await (const document of collection.find({}, { promoteLongs: false })) {
    for (const piece of writeOut(document)) {
      pieces.push(piece, Buffer.from(BETWEEN))
      bytes += piece.length + BETWEEN.length
    }
    if (bytes < PIECE_BYTES) continue
    yield Buffer.concat(pieces)
    pieces = []
    bytes = 0
  }
  yield Buffer.concat(pieces)
}

/** Every name and every value within a value, each by itself. */
function* writeOut(value: unknown): Generator<Buffer> {
  if (value instanceof mongo.Binary) yield Buffer.from(value.buffer)
  else if (value instanceof mongo.ObjectId) yield Buffer.from(value.id)
  else if (value instanceof Date) yield Buffer.from(writeDate(value))
  else if (isNumberOfMongo(value)) yield Buffer.from(value.toString())
  else if (typeof value === 'number') yield Buffer.from(Number.isInteger(value) ? BigInt(value).toString() : String(value))
  else if (typeof value === 'string') yield Buffer.from(value)
  else if (Array.isArray(value)) for (const item of value) yield* writeOut(item)
  else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) {
      yield Buffer.from(name)
      yield* writeOut(item)
    }
  }
}

function isNumberOfMongo(value: unknown): value is mongo.Long | mongo.Decimal128 {
  return value instanceof mongo.Long || value instanceof mongo.Decimal128
}

function writeDate(date: Date): string {
  const milliseconds = date.getTime()
  return milliseconds >= OUR_TIME.from && milliseconds < OUR_TIME.to ? date.toISOString() : String(milliseconds)
}
