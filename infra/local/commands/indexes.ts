import { join } from 'node:path'
import { buildAllIndexes } from '../build-indexes.ts'
import { readStack } from '../stack-file.ts'
import { UserError } from '../user-error.ts'
import type { Command } from './context.ts'

/** Builds the indexes of every service that has some, in the database of `MONGO_URL` or of the running stack. */
export const indexes: Command = async ({ env, paths, progress }) => {
  const mongoUrl = env['MONGO_URL'] ?? readStack(paths.stateDir)?.mongo_url
  if (mongoUrl === undefined) throw new UserError('Whose indexes? Set MONGO_URL, or start the stack.')
  const options = { mongoUrl, databasePrefix: env['DATABASE_PREFIX'] ?? '', logFile: join(paths.stateDir, 'logs', 'indexes.log') }
  await progress.during('building indexes', async () => buildAllIndexes(options))
  return 0
}
