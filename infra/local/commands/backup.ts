import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { dump } from '../backup/dump.ts'
import { restore as restoreInto } from '../backup/restore.ts'
import { databaseServer } from '../service-script.ts'
import { readStack } from '../stack-file.ts'
import { readHolder } from '../state-lock.ts'
import { UserError } from '../user-error.ts'
import type { Command, Context } from './context.ts'

const say = (line: string): void => console.log(line)

/** Copies the databases of the running stack, or of `MONGO_URL`, into a folder (docs/operations/backup-and-restore.md). */
export const backup: Command = async (context, args) => {
  const { folder } = readArguments(context, 'backup', args, [])
  await dump({ mongoUrl: databaseServer(context), databasePrefix: prefixOf(context), folder, say })
  console.log(`${folder} is whole. It holds personal data and sealed secrets: keep it as you keep the database`)
  return 0
}

/** Writes a backup into the databases of `MONGO_URL`. No service may be running. */
export const restore: Command = async (context, args) => {
  const { folder, flags } = readArguments(context, 'restore', args, ['replace', 'empty-queues'])
  const { paths, env } = context
  if (readHolder(paths.stateDir)?.command === 'start' || readStack(paths.stateDir))
    throw new UserError('The stack is running: npm stop, then npm run backing -- npm run restore -- <folder>')
  if (!env['MONGO_URL'])
    throw new UserError('Into which database? Set MONGO_URL, or npm run backing -- npm run restore -- <folder>')
  const mongoUrl = env['MONGO_URL']
  const databasePrefix = prefixOf(context)
  const amqpUrl = env['AMQP_URL']
  if (flags.has('empty-queues') && !amqpUrl) throw new UserError('Whose queues? Set AMQP_URL beside MONGO_URL')
  const queues = flags.has('empty-queues') && amqpUrl ? { amqpUrl, amqpPrefix: env['AMQP_PREFIX'] ?? '' } : undefined
  const began = await restoreInto({ mongoUrl, databasePrefix, folder, replace: flags.has('replace'), queues, say })
  if (!queues) console.log('the queues were left alone: when they are newer than the backup, use --empty-queues')
  console.log("build the indexes with the deployment's own configuration: services wait for them (npm start builds them itself)")
  console.log(`then, or from as much earlier as the oldest message was old at that time: npm run republish -- ${began}`)
  console.log('restored; docs/operations/backup-and-restore.md says what comes next')
  return 0
}

function prefixOf({ env }: Context): string {
  return env['DATABASE_PREFIX'] ?? ''
}

function readArguments(
  { env }: Context,
  command: string,
  args: readonly string[],
  names: readonly string[],
): { readonly folder: string; readonly flags: ReadonlySet<string> } {
  try {
    const options = Object.fromEntries(names.map((name) => [name, { type: 'boolean' } as const]))
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
    const [folder] = positionals
    if (folder === undefined || positionals.length > 1) throw new Error('one folder')
    return { folder: resolve(env['INIT_CWD'] ?? '.', folder), flags: new Set(Object.keys(values)) }
  } catch (error) {
    const usage = [`npm run ${command} -- <folder>`, ...names.map((name) => `[--${name}]`)].join(' ')
    throw new UserError(`${error instanceof Error ? error.message : String(error)}: ${usage}`)
  }
}
