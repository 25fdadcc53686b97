import { mongo, type Connection, type IndexDefinition, type IndexOptions } from 'mongoose'
import type { DatabaseConfig } from '../config/common.ts'
import { connectDatabase } from './database.ts'
import type { Log } from '../logging/logger.ts'
import { isDatabaseAway } from '../errors/database-away.ts'

/** Indexes of one collection that a service needs to run. */
export interface OwnIndexes {
  readonly collection: string
  readonly names: readonly string[]
  /** Builds missing indexes. Throws when an index of the same name has another definition. */
  build(): Promise<unknown>
}

export type OwnIndexesOf = (connection: Connection) => readonly OwnIndexes[]

/** The parts of a mongoose model that declare its indexes. */
interface IndexedModel {
  readonly collection: { readonly name: string }
  readonly schema: { indexes(): [IndexDefinition, IndexOptions][] }
  createIndexes(): Promise<unknown>
}

export function indexesOfModel(model: IndexedModel): OwnIndexes {
  const names = model.schema.indexes().map(([key, options]) => options.name ?? defaultName(key))
  return { collection: model.collection.name, names, build: () => model.createIndexes() }
}

/** The name that drivers give to an unnamed index, such as `merchant_id_1_at_-1`. */
function defaultName(key: IndexDefinition): string {
  return Object.entries(key)
    .map(([field, direction]) => `${field}_${String(direction)}`)
    .join('_')
}

/** The indexes that do not exist, as `<collection>.<name>`. */
export async function missingIndexes(connection: Connection, indexes: readonly OwnIndexes[]): Promise<string[]> {
  const missing: string[] = []
  for (const { collection, names } of indexes) {
    const there = await namesIn(connection, collection)
    missing.push(...names.filter((name) => !there.has(name)).map((name) => `${collection}.${name}`))
  }
  return missing
}

const NAMESPACE_NOT_FOUND = 26

async function namesIn(connection: Connection, collection: string): Promise<Set<string>> {
  try {
    const found = await connection.collection(collection).listIndexes().toArray()
    return new Set(found.map(({ name }) => String(name)))
  } catch (error) {
    if (error instanceof mongo.MongoServerError && error.code === NAMESPACE_NOT_FOUND) return new Set()
    throw error
  }
}

const RETRY_MS = 500

/** Connects, builds missing indexes and closes. Retries while the database is away; throws any other error. */
export async function buildIndexes(
  { mongoUrl, database: name }: DatabaseConfig,
  indexesOf: OwnIndexesOf,
  log: Log,
): Promise<void> {
  const database = await connectDatabase({ url: mongoUrl, name, log })
  try {
    for (const indexes of indexesOf(database.connection)) {
      while (!(await tryBuild(indexes, log))) await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  } finally {
    await database.close()
  }
}

async function tryBuild(indexes: OwnIndexes, log: Log): Promise<boolean> {
  try {
    await indexes.build()
    log.info('indexes exist', { collection: indexes.collection, names: indexes.names })
    return true
  } catch (error) {
    if (!isDatabaseAway(error)) throw error
    log.warn('database unavailable, index build waits', { error })
    return false
  }
}
