import { setTimeout as sleep } from 'node:timers/promises'
import { Router } from 'express'
import type { Connection } from 'mongoose'
import { Unavailable } from '@gateway/contracts'
import type { Database } from './database.ts'
import { createApp } from '../http/http-app.ts'
import { missingIndexes, type OwnIndexesOf } from './indexes.ts'
import { listen } from '../http/listen.ts'
import type { Log } from '../logging/logger.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { untilDatabaseAnswers } from './until-database-answers.ts'

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
