import { join } from 'node:path'
import { buildAllIndexes } from '../build-indexes.ts'
import { readStack } from '../stack-file.ts'
import { UserError } from '@gateway-infra/system/user-error'
import type { Command } from '@gateway-infra/system/context'
import { runCommand } from '@gateway-infra/system/run-command'

/**
 * Builds the indexes of every service that has some, in the database of `MONGO_URL` or of the running stack. The retention of
 * deliveries is in an index, and a shorter one removes deliveries: for a given database it has to be said.
 */
const indexes: Command = async ({ env, paths, progress }) => {
  if (env['MONGO_URL'] !== undefined && env['DELIVERY_RETENTION_DAYS'] === undefined)
    throw new UserError(
      'MONGO_URL is set: set DELIVERY_RETENTION_DAYS too, as its webhook-dispatcher has it (30 unless it says so).',
    )
  const mongoUrl = env['MONGO_URL'] ?? readStack(paths.stateDir)?.mongo_url
  if (mongoUrl === undefined) throw new UserError('Whose indexes? Set MONGO_URL, or start the stack.')
  const options = { mongoUrl, databasePrefix: env['DATABASE_PREFIX'] ?? '', logFile: join(paths.stateDir, 'logs', 'indexes.log') }
  await progress.during('building indexes', async () => buildAllIndexes(options))
  return 0
}

await runCommand(indexes)
