/** What may hold a card number: the files of a stack and of its engines, and every document of its databases. */
import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { mongo } from 'mongoose'
import type { Source } from './scan-stream.ts'

const FILE_PIECE_BYTES = 1024 * 1024

/** Folders in a stack's directory that hold no data of the stack: tools, builds, and the state of other stacks (`test-…`). */
const NOT_OF_THE_STACK = /^(?:node|bin|python|rootfs|compiled|test-\d+)$/u
/** Files that database and broker write. */
const ENGINE_FILE = /^logs\/(?:postgres|rabbitmq|ferretdb)\.log$|^ferretdb\//u
const DATABASE_LOG = 'database: write-ahead log'

/** The files of a stack's own directory: logs, secrets, certificates, records of processes. */
export async function stackFiles(stackDir: string): Promise<Source[]> {
  const own = (await readdir(stackDir)).filter((name) => !NOT_OF_THE_STACK.test(name))
  const files = await Promise.all(own.map((name) => filesBelow(join(stackDir, name))))
  return files.flat().map((file): Source => {
    const name = relative(stackDir, file)
    const open = () => readPieces(file)
    if (ENGINE_FILE.test(name)) return { group: 'logs of the engines', name, policy: 'issued', open }
    return { group: name.startsWith('logs/') ? 'logs of the services' : 'files of the stack', name, policy: 'any', open }
  })
}

/** The files of database and broker on this machine: tables, write-ahead logs, queues and their segments. */
export async function engineFiles(dataDir: string): Promise<Source[]> {
  return (await filesBelow(dataDir)).map((file): Source => {
    const name = relative(dataDir, file)
    const group = engineGroup(name)
    const open = () => (group === DATABASE_LOG ? withoutPageHeaders(readPieces(file)) : readPieces(file))
    return { group, name, policy: 'issued', open }
  })
}

function engineGroup(name: string): string {
  if (name.startsWith('postgres/')) return name.startsWith('postgres/pg_wal/') ? DATABASE_LOG : 'database: data files'
  if (name.endsWith('.segment')) return 'broker: segments of queues'
  return name.endsWith('.wal') ? 'broker: write-ahead log' : 'broker: other files'
}

/** Reads a file in pieces; nothing when an engine has removed the file meanwhile. */
async function* readPieces(file: string): AsyncGenerator<Buffer> {
  try {
    for await (const piece of createReadStream(file, { highWaterMark: FILE_PIECE_BYTES })) if (Buffer.isBuffer(piece)) yield piece
  } catch (error) {
    if (!isFailure(error, 'ENOENT')) throw error
  }
}

/** The file itself, or the files of a folder and its folders. */
async function filesBelow(path: string): Promise<string[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true, recursive: true })
    return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  } catch (error) {
    if (isFailure(error, 'ENOTDIR')) return [path]
    if (isFailure(error, 'ENOENT')) return []
    throw error
  }
}

function isFailure(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code
}

/** PostgreSQL writes its log in pages. Each begins with a header, which may stand in the middle of a value. */
const PAGE_BYTES = 8192
/** `XLogPageHeaderData` and, on the first page of a file, `XLogLongPageHeaderData` (PostgreSQL, access/xlog_internal.h). */
const HEADER_BYTES = 24
const FIRST_HEADER_BYTES = 40

/** The log without the page headers, so that values are contiguous. */
export async function* withoutPageHeaders(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let place = 0
  for await (const piece of pieces) {
    const kept: Buffer[] = []
    for (let from = 0; from < piece.length;) {
      const inPage = (place + from) % PAGE_BYTES
      const header = place + from < PAGE_BYTES ? FIRST_HEADER_BYTES : HEADER_BYTES
      const to = Math.min(piece.length, from + PAGE_BYTES - inPage)
      kept.push(piece.subarray(Math.min(to, from + Math.max(0, header - inPage)), to))
      from = to
    }
    place += piece.length
    yield Buffer.concat(kept)
  }
}

const SYSTEM_DATABASES = new Set(['admin', 'config', 'local'])
const PIECE_BYTES = 256 * 1024
/** Stands between two values. It is no separator of digits. */
const BETWEEN = Buffer.from('\u0001')

/** Every document of the databases with this prefix. The driver reads them: files may hold large values compressed. */
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
