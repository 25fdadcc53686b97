import { setTimeout as sleep } from 'node:timers/promises'
import { Router } from 'express'
import type { Connection } from 'mongoose'
import { Unavailable } from '@gateway/contracts'
import type { Database } from './database.ts'
import { createApp } from '../http/http-app.ts'
import { missingIndexes, type OwnIndexesOf } from './indexes.ts'
import { listen } from '../http/listen.ts'
import { describeError, type Log } from '../logging/logger.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { isDatabaseAway } from '../errors/database-away.ts'

const LOOK_EVERY_MS = 500

/**
 * Resolves when every index is there. Until then the process lives and is not ready: `/readyz` names what is missing, and
 * everything else is 503. A service that worked without its unique indexes could not keep its promises.
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
  log.error('indexes are missing: run src/build-indexes.ts of this service', { missing })
  const checks = missing.map((name) => ({ name: `index ${name}`, critical: true, isUp: () => !missing.includes(name) }))
  const app = createApp({ log, metrics, checks: [database.check, ...checks], rawRoutes: [refuseAll()], routes: [] })
  const server = await listen(app, where)
  while (missing.length > 0) {
    await sleep(LOOK_EVERY_MS)
    missing = await find()
  }
  await server.stop(1000)
}

/** Looks again and again while the database is away; any other failure is thrown. */
async function findMissing(connection: Connection, indexesOf: OwnIndexesOf, log: Log): Promise<string[]> {
  for (;;) {
    try {
      return await missingIndexes(connection, indexesOf(connection))
    } catch (error) {
      if (!isDatabaseAway(error)) throw error
      log.warn('the database is away, its indexes cannot be looked at', { error: describeError(error) })
      await sleep(LOOK_EVERY_MS)
    }
  }
}

function refuseAll(): Router {
  return Router().use(() => {
    throw new Unavailable('not_ready', 'The service waits for the indexes of its database; try again')
  })
}
