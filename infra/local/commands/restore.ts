import { type Command, runCommand } from '@gateway-infra/system/command'
import { UserError } from '@gateway-infra/system/user-error'
import { readFolder } from '../read-arguments.ts'
import { restore as restoreInto } from '../backup/restore.ts'
import { readStack } from '../stack-file.ts'
import { readHolder } from '../state-lock.ts'

/** Restores a backup into the databases of `MONGO_URL`. No service may be running. */
const restore: Command = async (context, args) => {
  const { folder, flags } = readFolder(context.env, 'restore', args, ['replace', 'empty-queues'])
  const { paths, env } = context
  if (readHolder(paths.stateDir)?.command === 'start' || readStack(paths.stateDir))
    throw new UserError('The stack is running. Run npm stop, then npm run backing -- npm run restore -- <folder>')
  const { MONGO_URL: mongoUrl, AMQP_URL: amqpUrl, DATABASE_PREFIX: databasePrefix = '', AMQP_PREFIX: amqpPrefix = '' } = env
  if (!mongoUrl) throw new UserError('No database: set MONGO_URL, or run npm run backing -- npm run restore -- <folder>')
  if (flags.has('empty-queues') && !amqpUrl) throw new UserError('--empty-queues needs AMQP_URL beside MONGO_URL')
  const queues = flags.has('empty-queues') && amqpUrl ? { amqpUrl, amqpPrefix } : undefined
  const say = (line: string): void => console.log(line)
  const began = await restoreInto({ mongoUrl, databasePrefix, folder, replace: flags.has('replace'), queues, say })
  if (!queues) say('the queues were not changed; if they are newer than the backup, use --empty-queues')
  say("next: build the indexes with the deployment's configuration; services wait for them (npm start builds them itself)")
  say(`then: npm run republish -- ${began} (or earlier, by the age of the oldest queued message at that time)`)
  say('restored; docs/operations/backup-and-restore.md describes the next steps')
  return 0
}

await runCommand(restore)
