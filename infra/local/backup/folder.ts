/** The folder of a backup: a manifest, and a file for each collection. The manifest is written last: without it there is no backup. */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { compile, requiredFields, type FromSchema } from '@gateway/contracts'
import { UserError } from '@gateway-infra/system/user-error'
import { databaseName, type ServiceName } from '../services.ts'

/** Values keep their exact BSON types. */
export const LOSSLESS = { promoteValues: false, promoteBuffers: false, promoteLongs: false } as const

/**
 * The gateway's databases, in the order in which a backup reads them: a document is read before the documents it refers to. So
 * the backup contains every delivery's status change, every transaction's order and every order's merchant, whatever changes
 * meanwhile. The simulator's data belongs to the network.
 */
export const BACKED_UP: readonly ServiceName[] = ['webhook-dispatcher', 'payment-status', 'order-api', 'auth-token']

/** A service's database name in a backup, without the prefix. */
export function plainName(service: ServiceName): string {
  return databaseName('', service)
}

/** Only a deployment with a ledger has it. What the bank has settled can be made again from nothing else. */
export const BACKED_UP_IF_THERE: ServiceName = 'ledger'

const FILE = 'manifest.json'
/** Names that cannot lead out of the folder. */
export const COLLECTION_NAME = /^[A-Za-z0-9_-]{1,64}$/u
const NAME = { type: 'string', pattern: COLLECTION_NAME.source } as const

const COLLECTION = requiredFields({
  name: NAME,
  /** Path in the folder: consecutive BSON, gzipped, as mongodump and mongorestore use it. */
  file: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}/[A-Za-z0-9_-]{1,64}\\.bson\\.gz$' },
  documents: { type: 'integer', minimum: 0 },
  /** Digest of the gzipped file. */
  sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' },
})
const DATABASE = requiredFields({
  name: NAME,
  began_at: { type: 'string' },
  ended_at: { type: 'string' },
  collections: { type: 'array', items: COLLECTION },
})
const manifest = compile(requiredFields({ version: { const: 1 }, databases: { type: 'array', items: DATABASE } }))

/** Its name is without the prefix of the stack that it comes from. */
export type DatabaseDump = FromSchema<typeof DATABASE>

export function writeManifest(folder: string, databases: readonly DatabaseDump[]): void {
  writeFileSync(join(folder, FILE), `${JSON.stringify({ version: 1, databases }, null, 2)}\n`, { mode: 0o600 })
}

/** Throws a `UserError` unless the folder has a complete backup of this version with data of every database. */
export function readManifest(folder: string): { readonly databases: readonly DatabaseDump[] } {
  let parsed: unknown
  try {
    parsed = JSON.parse(readFileSync(join(folder, FILE), 'utf8'))
  } catch {
    throw new UserError(`${folder} is not a complete backup: it has no readable ${FILE}`)
  }
  if (!manifest(parsed)) throw new UserError(`${join(folder, FILE)} has a version that this program does not know`)
  const expected = BACKED_UP.map(plainName).toSorted().join(', ')
  const named = parsed.databases.map(({ name }) => name)
  const ledger = named.indexOf(plainName(BACKED_UP_IF_THERE))
  const names = named.filter((_, index) => index !== ledger).toSorted()
  if (names.join(', ') !== expected)
    throw new UserError(
      `${folder} has the databases ${names.join(', ') || 'none'}, but must have each of these once: ${expected}`,
    )
  const empty = parsed.databases.find(({ collections }) => collections.length === 0)
  if (empty) throw new UserError(`${folder} has no data of ${empty.name}: it was made from another server or prefix`)
  return parsed
}

/** BSON's limit of 16 MiB per document. */
const MAX_DOCUMENT_BYTES = 17 * 1024 * 1024
const MIN_DOCUMENT_BYTES = 5

/** Writes documents, each as BSON, gzipped, to a new file as they come; resolves to its SHA-256. Throws when the file exists. */
export async function writeBsonFile(file: string, documents: AsyncIterable<Uint8Array>): Promise<string> {
  await pipeline(documents, createGzip({ level: 6 }), createWriteStream(file, { flags: 'wx', mode: 0o600 }))
  return sha256Of(file)
}

export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** The documents of a file, each as BSON. Throws when it ends within one. */
export async function* readBsonFile(file: string): AsyncGenerator<Buffer> {
  const source = createReadStream(file)
  const chunks = source.pipe(createGunzip())
  // A pipe does not forward errors.
  source.on('error', (error) => chunks.destroy(error))
  yield* splitDocuments(chunks)
}

/** Each document starts with its length, 32 bits little-endian. */
export async function* splitDocuments(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (let length = lengthOf(rest); length !== undefined && rest.length >= length; length = lengthOf(rest)) {
      yield rest.subarray(0, length)
      rest = rest.subarray(length)
    }
  }
  if (rest.length > 0) throw new Error('the file ends within a document')
}

function lengthOf(bytes: Buffer): number | undefined {
  if (bytes.length < 4) return undefined
  const length = bytes.readInt32LE(0)
  if (length < MIN_DOCUMENT_BYTES || length > MAX_DOCUMENT_BYTES) throw new Error('this is not a file of BSON documents')
  return length
}
