import { setTimeout as sleep } from 'node:timers/promises'
import { mongo, type Connection, type IndexDefinition, type IndexOptions } from 'mongoose'
import { Router } from 'express'
import { Unavailable } from '@gateway/contracts'
import type { DatabaseConfig } from '../config/common.ts'
import type { Log } from '../logging/logger.ts'
import { isDatabaseAway } from '../errors/database-errors.ts'
import { createApp } from '../http/http-app.ts'
import { listen } from '../http/listen.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { EnvReader } from '../config/reader.ts'
import { withConfig } from '../process/lifecycle.ts'
import { connectDatabase, untilDatabaseAnswers, type Database } from './database.ts'

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

/** A named index of a collection without a mongoose model. */
export interface OwnIndex extends Pick<mongo.CreateIndexesOptions, 'unique' | 'expireAfterSeconds' | 'partialFilterExpression'> {
  readonly key: Readonly<Record<string, 1 | -1>>
  readonly name: string
}

export function indexesOfCollection<T extends mongo.Document>(
  collection: mongo.Collection<T>,
  indexes: readonly OwnIndex[],
): OwnIndexes {
  return {
    collection: collection.collectionName,
    names: indexes.map(({ name }) => name),
    async build() {
      for (const { key, ...options } of indexes) await collection.createIndex(key, options, {})
    },
  }
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
    const there = new Set((await indexesIn(connection, collection)).map(({ name }) => name))
    missing.push(...names.filter((name) => !there.has(name)).map((name) => `${collection}.${name}`))
  }
  return missing
}

const NAMESPACE_NOT_FOUND = 26

/** The indexes of a collection; none when the collection does not exist yet. */
export async function indexesIn(
  connection: Connection,
  collection: string,
): Promise<{ readonly name: string; readonly key: unknown }[]> {
  try {
    const found = await connection.collection(collection).listIndexes().toArray()
    return found.map(({ name, key }: { name?: unknown; key?: unknown }) => ({ name: String(name), key }))
  } catch (error) {
    if (error instanceof mongo.MongoServerError && error.code === NAMESPACE_NOT_FOUND) return []
    throw error
  }
}

const RETRY_MS = 500

/** Writes what a service needs in a new database; changes nothing in one that has it. */
type Prepare = (connection: Connection) => Promise<void>

/**
 * Connects, builds missing indexes, prepares what else a new database needs, and closes. Retries while the database is away; throws any
 * other error.
 */
export async function buildIndexes(
  { mongoUrl, database: name }: DatabaseConfig,
  indexesOf: OwnIndexesOf,
  log: Log,
  prepare: Prepare = () => Promise.resolve(),
): Promise<void> {
  const database = await connectDatabase({ url: mongoUrl, name, log })
  try {
    for (const indexes of indexesOf(database.connection)) {
      while (!(await tryBuild(indexes, log))) await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
    await untilDatabaseAnswers(() => prepare(database.connection), { what: 'prepare the database', log })
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

const LOOK_EVERY_MS = 500

/**
 * Resolves when every index exists. Until then the process is alive but not ready: `/readyz` names the missing indexes and
 * every other route answers 503. Without its unique indexes a service could not keep its guarantees.
 */
export async function waitForIndexes(
  database: Pick<Database, 'connection' | 'check'>,
  indexesOf: OwnIndexesOf,
  where: { readonly host: string; readonly port: number; readonly log: Log; readonly metrics: Metrics },
): Promise<void> {
  const find = () => findMissing(database.connection, indexesOf, where.log)
  let missing = await find()
  if (missing.length === 0) return

  const { log, metrics } = where
  log.error('indexes missing, run src/build-indexes.ts of this service', { missing })
  const checks = missing.map((name) => ({ name: `index ${name}`, critical: true, isUp: () => !missing.includes(name) }))
  const app = createApp({ log, metrics, checks: [database.check, ...checks], rawRoutes: [refuseAll()], routes: [] })
  const server = await listen(app, where)
  while (missing.length > 0) {
    await sleep(LOOK_EVERY_MS)
    missing = await find()
  }
  await server.stop(1000)
}

async function findMissing(connection: Connection, indexesOf: OwnIndexesOf, log: Log): Promise<string[]> {
  return untilDatabaseAnswers(() => missingIndexes(connection, indexesOf(connection)), { what: 'list indexes', log })
}

function refuseAll(): Router {
  return Router().use(() => {
    throw new Unavailable('not_ready', 'The service waits for the indexes of its database; try again')
  })
}

/**
 * A service's `build-indexes.ts`: builds missing indexes and exits with 0 when all exist. It can be repeated, also beside
 * running services, and removes nothing (docs/operations/deploying.md).
 */
export async function runIndexStep<Config extends DatabaseConfig & { readonly logLevel: string }>(
  service: string,
  read: (env: EnvReader) => Config,
  indexesOf: (config: Readonly<Config>) => OwnIndexesOf,
  prepare?: (connection: Connection, config: Readonly<Config>) => Promise<void>,
): Promise<void> {
  await withConfig(service, read, (config, log) =>
    buildIndexes(config, indexesOf(config), log, prepare && ((connection) => prepare(connection, config))),
  )
}
