import { join } from 'node:path'
import { buildAllIndexes } from '../start-services.ts'
import { databaseServer } from '../read-arguments.ts'
import { UserError } from '@gateway-infra/system/user-error'
import { type Command, runCommand } from '@gateway-infra/system/command'

/**
 * Builds the indexes of all services in `MONGO_URL` or in the running stack's database. The retention of deliveries is part of
 * an index, and a shorter one deletes deliveries, so with a given database it must be set explicitly.
 */
const indexes: Command = async ({ env, paths, progress }) => {
  if (env['MONGO_URL'] !== undefined && env['DELIVERY_RETENTION_DAYS'] === undefined)
    throw new UserError('MONGO_URL is set: also set DELIVERY_RETENTION_DAYS to the value of its webhook-dispatcher (default 30).')
  const mongoUrl = databaseServer({ env, paths })
  const options = { mongoUrl, databasePrefix: env['DATABASE_PREFIX'] ?? '', logFile: join(paths.stateDir, 'logs', 'indexes.log') }
  await progress.during('building indexes', async () => buildAllIndexes(options))
  return 0
}

await runCommand(indexes)
