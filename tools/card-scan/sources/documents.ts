import { mongo } from 'mongoose'
import type { Source } from '../scan-stream.ts'

const SYSTEM_DATABASES = new Set(['admin', 'config', 'local'])
const PIECE_BYTES = 256 * 1024
/** Stands between two values. It is no separator of digits. */
const BETWEEN = Buffer.from('\u0001')

/**
 * Every document of every database whose name begins with `prefix`. Read through the driver, since the database may compress large
 * values in its files.
 */
export async function documents(client: mongo.MongoClient, prefix: string): Promise<Source[]> {
  const { databases } = await client.db('admin').admin().listDatabases()
  const own = databases
    .filter(({ name }) => name.startsWith(prefix) && !SYSTEM_DATABASES.has(name))
    .map(({ name }) => client.db(name))
  const collections = await Promise.all(own.map(async (database) => database.collections()))
  return collections.flat().map((collection): Source => ({
    group: `documents of ${collection.dbName}`,
    name: collection.namespace,
    policy: 'whole',
    open: () => readDocuments(collection),
  }))
}

async function* readDocuments(collection: mongo.Collection): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = []
  let bytes = 0
  for await (const document of collection.find({}, { promoteLongs: false })) {
    for (const value of valuesOf(document)) {
      pieces.push(Buffer.from(value), BETWEEN)
      bytes += value.length
    }
    if (bytes < PIECE_BYTES) continue
    yield Buffer.concat(pieces)
    pieces = []
    bytes = 0
  }
  yield Buffer.concat(pieces)
}

/** Every field name and every value within a value, each on its own. */
function* valuesOf(value: unknown): Generator<string | Uint8Array> {
  if (value instanceof mongo.Binary) yield value.buffer
  else if (value instanceof mongo.ObjectId) yield value.id
  else if (value instanceof mongo.Long || value instanceof mongo.Decimal128) yield value.toString()
  else if (value instanceof Date) yield dateText(value)
  else if (typeof value === 'number') yield Number.isInteger(value) ? BigInt(value).toString() : String(value)
  else if (typeof value === 'string') yield value
  else if (Array.isArray(value)) for (const item of value) yield* valuesOf(item)
  else if (typeof value === 'object' && value !== null) for (const entry of Object.entries(value)) yield* valuesOf(entry)
}

/** A date of this century as a date. Any other could be a card number, so its milliseconds are written. */
function dateText(date: Date): string {
  const year = date.getUTCFullYear()
  return year > 2000 && year < 2100 ? date.toISOString() : String(date.getTime())
}
