/** Restores a backup. */
import { join } from 'node:path'
import { mongo } from 'mongoose'
import { UserError } from '@gateway-infra/system/user-error'
import { LOSSLESS, plainName, readBsonFile, readManifest, sha256Of, type DatabaseDump } from './folder.ts'
import { emptyQueues, readDelayQueues, refuseConsumers, type Broker } from './empty-queues.ts'

export interface RestoreOptions {
  readonly mongoUrl: string
  readonly databasePrefix: string
  readonly folder: string
  /** Removes existing data; without it, existing data is a reason to refuse. */
  readonly replace: boolean
  /** Queues to empty, when they are newer than the backup. */
  readonly queues?: Broker | undefined
  readonly say: (line: string) => void
}

const BATCH_DOCUMENTS = 500
const BATCH_BYTES = 4 * 1024 * 1024
const DURABLE = { writeConcern: { w: 'majority', journal: true } } as const

/**
 * Checks the whole backup and the target before it writes; a `UserError` means that nothing was changed. Indexes are not built,
 * since one of them contains the deployment's configured retention.
 *
 * @returns when the backup was started
 */
export async function restore(options: RestoreOptions): Promise<string> {
  const { mongoUrl, databasePrefix, folder, replace, queues, say } = options
  const { databases } = readManifest(folder)
  await checkFiles(folder, databases)
  const client = await new mongo.MongoClient(mongoUrl).connect()
  try {
    const targets = databases.map((dump) => ({ dump, db: client.db(databasePrefix + dump.name) }))
    for (const { db } of targets) if (!replace) await refuseWhenUsed(db)
    if (queues) await refuseConsumers(queues)
    const dispatchers = client.db(databasePrefix + plainName('webhook-dispatcher'))
    // Includes collections created after the backup.
    const delayQueues = queues ? await readDelayQueues(dispatchers) : []
    for (const { dump, db } of targets) {
      if (replace) await db.dropDatabase()
      for (const { name, file, documents } of dump.collections) {
        const written = await insertAll(db.collection(name), readBsonFile(join(folder, file)))
        if (written !== documents) throw new Error(`${file} has ${written} documents and should have ${documents}`)
        say(`${dump.name}.${name}: ${written} documents`)
      }
    }
    if (queues) {
      const known = new Set([...delayQueues, ...(await readDelayQueues(dispatchers))])
      await emptyQueues(queues, [...known], say)
    }
    return databases.map(({ began_at: began }) => began).toSorted()[0] ?? ''
  } finally {
    await client.close()
  }
}

async function checkFiles(folder: string, databases: readonly DatabaseDump[]): Promise<void> {
  for (const { file, sha256 } of databases.flatMap(({ collections }) => collections)) {
    const found = await sha256Of(join(folder, file)).catch(() => undefined)
    if (found !== sha256) throw new UserError(`${file} is missing or damaged; nothing was changed`)
  }
}

async function refuseWhenUsed(db: mongo.Db): Promise<void> {
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
    if (name.startsWith('system.') || (await db.collection(name).countDocuments({}, { limit: 1 })) === 0) continue
    throw new UserError(`${db.databaseName}.${name} is not empty; use --replace to remove existing data. Nothing was changed`)
  }
}

async function insertAll(collection: mongo.Collection, documents: AsyncIterable<Buffer>): Promise<number> {
  let [written, bytes, batch] = [0, 0, [] as mongo.Document[]]
  const flush = async (): Promise<void> => {
    if (batch.length > 0) written += (await collection.insertMany(batch, DURABLE)).insertedCount
    ;[bytes, batch] = [0, []]
  }
  for await (const document of documents) {
    batch.push(mongo.BSON.deserialize(document, LOSSLESS))
    bytes += document.length
    if (batch.length >= BATCH_DOCUMENTS || bytes >= BATCH_BYTES) await flush()
  }
  await flush()
  return written
}
