/** What a backup says of itself. It is written last: a folder without it is no backup. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compile } from '@gateway/contracts'
import { UserError } from '@gateway-infra/system/user-error'
import { BACKED_UP, plainName } from './databases.ts'

export interface CollectionDump {
  readonly name: string
  /** Within the folder: the documents as BSON one after the other, gzipped, as mongodump and mongorestore have them. */
  readonly file: string
  readonly documents: number
  /** Of the file as it is. */
  readonly sha256: string
}

export interface DatabaseDump {
  /** Without the prefix of the stack that it was read from. */
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

/** Of what a backup holds: no path of another folder. */
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

/** Throws a `UserError` when the folder holds no whole backup of this version, with something of each of the gateway's databases. */
export function readManifest(folder: string): Manifest {
  let parsed: unknown
  try {
    parsed = JSON.parse(readFileSync(join(folder, FILE), 'utf8'))
  } catch {
    throw new UserError(`${folder} is no backup, or one that was cut short: it has no ${FILE} that can be read`)
  }
  if (!manifest(parsed)) throw new UserError(`${join(folder, FILE)} is not of a version that this program knows`)
  refuseOthers(folder, parsed)
  return parsed
}

/** Whoever restores with `--replace` loses what is there: for nothing, if the backup holds nothing of it. */
function refuseOthers(folder: string, { databases }: Manifest): void {
  const expected = BACKED_UP.map(plainName).toSorted()
  const names = databases.map((database) => database.name).toSorted()
  if (names.join() !== expected.join())
    throw new UserError(
      `${folder} is of the databases ${names.join(', ') || 'none'}, and not once of each: ${expected.join(', ')}`,
    )
  const empty = databases.find(({ collections }) => collections.length === 0)
  if (empty) throw new UserError(`${folder} holds nothing of ${empty.name}: it was read from another server or prefix`)
}
