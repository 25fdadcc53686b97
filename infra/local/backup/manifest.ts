/** The manifest of a backup. It is written last: a folder without it is not a backup. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compile } from '@gateway/contracts'
import { UserError } from '@gateway-infra/system/user-error'
import { BACKED_UP, plainName } from './databases.ts'

export interface CollectionDump {
  readonly name: string
  /** Path in the folder: consecutive BSON, gzipped, as mongodump and mongorestore use it. */
  readonly file: string
  readonly documents: number
  /** Digest of the gzipped file. */
  readonly sha256: string
}

export interface DatabaseDump {
  /** Without the source stack's prefix. */
  readonly name: string
  readonly began_at: string
  readonly ended_at: string
  readonly collections: readonly CollectionDump[]
}

export interface Manifest {
  readonly version: 1
  readonly databases: readonly DatabaseDump[]
}

const FILE = 'manifest.json'
const text = { type: 'string' } as const

/** Names that cannot lead out of the folder. */
export const COLLECTION_NAME = /^[A-Za-z0-9_-]{1,64}$/u
const name = { type: 'string', pattern: COLLECTION_NAME.source } as const

const manifest = compile({
  type: 'object',
  required: ['version', 'databases'],
  properties: {
    version: { const: 1 },
    databases: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'began_at', 'ended_at', 'collections'],
        properties: {
          name,
          began_at: text,
          ended_at: text,
          collections: {
            type: 'array',
            items: {
              type: 'object',
              required: ['name', 'file', 'documents', 'sha256'],
              properties: {
                name,
                file: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}/[A-Za-z0-9_-]{1,64}\\.bson\\.gz$' },
                documents: { type: 'integer', minimum: 0 },
                sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' },
              },
            },
          },
        },
      },
    },
  },
})

export function writeManifest(folder: string, databases: readonly DatabaseDump[]): void {
  writeFileSync(join(folder, FILE), `${JSON.stringify({ version: 1, databases } satisfies Manifest, null, 2)}\n`, { mode: 0o600 })
}

/** Reads the manifest. Throws a `UserError` unless the folder has a complete backup of this version with data of every database. */
export function readManifest(folder: string): Manifest {
  let parsed: unknown
  try {
    parsed = JSON.parse(readFileSync(join(folder, FILE), 'utf8'))
  } catch {
    throw new UserError(`${folder} is not a complete backup: it has no readable ${FILE}`)
  }
  if (!manifest(parsed)) throw new UserError(`${join(folder, FILE)} has a version that this program does not know`)
  refuseOthers(folder, parsed)
  return parsed
}

/** `--replace` removes existing data, so a backup without data of a database is refused. */
function refuseOthers(folder: string, { databases }: Manifest): void {
  const expected = BACKED_UP.map(plainName).toSorted()
  const names = databases.map((database) => database.name).toSorted()
  if (names.join() !== expected.join())
    throw new UserError(
      `${folder} has the databases ${names.join(', ') || 'none'}, but must have each of these once: ${expected.join(', ')}`,
    )
  const empty = databases.find(({ collections }) => collections.length === 0)
  if (empty) throw new UserError(`${folder} has no data of ${empty.name}: it was made from another server or prefix`)
}
