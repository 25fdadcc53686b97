/** Writes the databases into a folder. */
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { mongo } from 'mongoose'
import { UserError } from '@gateway-infra/system/user-error'
import {
  BACKED_UP,
  BACKED_UP_IF_THERE,
  COLLECTION_NAME,
  LOSSLESS,
  plainName,
  writeBsonFile,
  writeManifest,
  type DatabaseDump,
} from './folder.ts'

export interface DumpOptions {
  readonly mongoUrl: string
  readonly databasePrefix: string
  /** Must be new or empty. */
  readonly folder: string
  readonly say: (line: string) => void
}

const PAGE = 500

/**
 * Writes every document of the gateway's databases, then the manifest. Throws a `UserError` when the folder is not empty, and,
 * before anything is written, when a database is empty or contains something that `restore` would refuse.
 */
export async function dump({ mongoUrl, databasePrefix, folder, say }: DumpOptions): Promise<void> {
  const client = await new mongo.MongoClient(mongoUrl, { readPreference: 'primary' }).connect()
  try {
    const ledger = client.db(databasePrefix + plainName(BACKED_UP_IF_THERE))
    const hasLedger = (await ledger.listCollections({}, { nameOnly: true }).toArray()).length > 0
    // First the ledger, whose documents refer to those of the others.
    const services = hasLedger ? [BACKED_UP_IF_THERE, ...BACKED_UP] : BACKED_UP
    for (const service of services) await collectionsOf(client.db(databasePrefix + plainName(service)))
    await mkdir(folder, { recursive: true, mode: 0o700 })
    if ((await readdir(folder)).length > 0) throw new UserError(`${folder} is not empty: a backup needs an empty folder`)
    const databases: DatabaseDump[] = []
    for (const service of services) {
      const name = plainName(service)
      const database = await dumpDatabase(client.db(databasePrefix + name), name, folder)
      for (const one of database.collections) say(`${name}.${one.name}: ${one.documents} documents`)
      databases.push(database)
    }
    writeManifest(folder, databases)
  } finally {
    await client.close()
  }
}

async function dumpDatabase(db: mongo.Db, name: string, folder: string): Promise<DatabaseDump> {
  const began = new Date()
  await mkdir(join(folder, name), { mode: 0o700 })
  const collections: DatabaseDump['collections'][number][] = []
  for (const collection of await collectionsOf(db)) {
    const file = `${name}/${collection}.bson.gz`
    let documents = 0
    async function* counted(): AsyncGenerator<Uint8Array> {
      for await (const document of documentsOf(db.collection(collection))) {
        documents += 1
        yield mongo.BSON.serialize(document)
      }
    }
    const sha256 = await writeBsonFile(join(folder, file), counted())
    collections.push({ name: collection, file, documents, sha256 })
  }
  return { name, began_at: began.toISOString(), ended_at: new Date().toISOString(), collections }
}

/** All collections without views. Throws a `UserError` when there are none: server or prefix are probably wrong. */
async function collectionsOf(db: mongo.Db): Promise<string[]> {
  const listed = await db.listCollections({ type: 'collection' }, { nameOnly: true }).toArray()
  const names = listed.map(({ name }) => name).filter((name) => !name.startsWith('system.'))
  if (names.length === 0)
    throw new UserError(`${db.databaseName} has no collections: are MONGO_URL and DATABASE_PREFIX those of the services?`)
  const odd = names.find((name) => !COLLECTION_NAME.test(name))
  if (odd !== undefined) throw new UserError(`${db.databaseName}.${odd} does not belong to the gateway: move or remove it first`)
  return names.toSorted()
}

/**
 * Reads along the primary key, page by page: each document that existed at the start is read once, in one of the versions it
 * had meanwhile. All ids of a collection have one type, so that a page's last id tells where the next page begins.
 */
async function* documentsOf(collection: mongo.Collection): AsyncGenerator<mongo.Document> {
  for (let after: mongo.BSON.ObjectId | undefined; ;) {
    const filter = after === undefined ? {} : { _id: { $gt: after } }
    const page = await collection.find(filter, LOSSLESS).sort({ _id: 1 }).limit(PAGE).toArray()
    yield* page
    after = page.at(-1)?._id
    if (page.length < PAGE) return
  }
}
