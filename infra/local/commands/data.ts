/** `data.ts <command> [...arguments]`: operators' commands on the data of the running stack, or on `MONGO_URL`. */
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { parseInstantOrAge } from '@gateway/contracts'
import { runCommand, runScript, type Command, type Context } from '@gateway-infra/system/command'
import { UserError } from '@gateway-infra/system/user-error'
import { dump } from '../backup/dump.ts'
import { restore } from '../backup/restore.ts'
import { ensureSecrets } from '../secrets.ts'
import { databaseName, type ServiceName } from '../services.ts'
import { readStack } from '../stack-file.ts'
import { buildAllIndexes } from '../start-services.ts'
import { readHolder } from '../state-lock.ts'
import { partitions } from './partitions.ts'

const say = (line: string): void => console.log(line)

const COMMANDS: Readonly<Record<string, Command>> = {
  /** Copies the databases into a folder (docs/operations/backup-and-restore.md). */
  async backup(context, args) {
    const { folder } = readFolder(context.env, 'backup', args, [])
    const databasePrefix = context.env['DATABASE_PREFIX'] ?? ''
    await dump({ mongoUrl: databaseServer(context), databasePrefix, folder, say })
    say(`${folder} is complete. It contains personal data and sealed secrets: protect it like the database`)
    return 0
  },

  /** Restores a backup into the databases of `MONGO_URL`. No service may be running. */
  async restore({ paths, env }, args) {
    const { folder, flags } = readFolder(env, 'restore', args, ['replace', 'empty-queues'])
    if (readHolder(paths.stateDir)?.command === 'start' || readStack(paths.stateDir))
      throw new UserError('The stack is running. Run npm stop, then npm run backing -- npm run restore -- <folder>')
    const { MONGO_URL: mongoUrl, AMQP_URL: amqpUrl, DATABASE_PREFIX: databasePrefix = '', AMQP_PREFIX: amqpPrefix = '' } = env
    if (!mongoUrl) throw new UserError('No database: set MONGO_URL, or run npm run backing -- npm run restore -- <folder>')
    if (flags.has('empty-queues') && !amqpUrl) throw new UserError('--empty-queues needs AMQP_URL beside MONGO_URL')
    const queues = flags.has('empty-queues') && amqpUrl ? { amqpUrl, amqpPrefix } : undefined
    const began = await restore({ mongoUrl, databasePrefix, folder, replace: flags.has('replace'), queues, say })
    if (!queues) say('the queues were not changed; if they are newer than the backup, use --empty-queues')
    say("next: build the indexes with the deployment's configuration; services wait for them (npm start builds them itself)")
    say(`then: npm run republish -- ${began} (or earlier, by the age of the oldest queued message at that time)`)
    say('restored; docs/operations/backup-and-restore.md describes the next steps')
    return 0
  },

  /**
   * Builds the indexes of all services. The retention of deliveries is part of an index, and a shorter one deletes deliveries, so with
   * a given database it must be set explicitly.
   */
  async indexes({ env, paths, progress }) {
    if (env['MONGO_URL'] !== undefined && env['DELIVERY_RETENTION_DAYS'] === undefined)
      throw new UserError(
        'MONGO_URL is set: also set DELIVERY_RETENTION_DAYS to the value of its webhook-dispatcher (default 30).',
      )
    const mongoUrl = databaseServer({ env, paths })
    const options = {
      mongoUrl,
      databasePrefix: env['DATABASE_PREFIX'] ?? '',
      logFile: join(paths.stateDir, 'logs', 'indexes.log'),
    }
    await progress.during('building indexes', async () => buildAllIndexes(options))
    return 0
  },

  partitions,
}

/** A command that runs operators' scripts of services, `services/<service>/src/<file>`. The exit code is the highest of the scripts'. */
interface Script {
  readonly services: readonly ServiceName[]
  readonly file: string
  /** The scripts' arguments. Throws a `UserError` with the usage. */
  readonly args?: (args: readonly string[], context: Context) => readonly string[]
  /** Variables that the scripts need besides those of the database. Throws a `UserError` when neither environment nor stack has it. */
  readonly env?: (context: Context) => NodeJS.ProcessEnv
}

const MASTER_KEYS_USAGE = `npm run master-keys -- status            how much each service keeps under which master key
npm run master-keys -- reseal <key id>   seals all of it under this key, the first of MASTER_KEYS
They work on the running stack, or on MONGO_URL with MASTER_KEYS. docs/operations/master-keys.md explains them.`

const SCRIPTS: Readonly<Record<string, Script>> = {
  /** Publishes events since an instant again (docs/operations/backup-and-restore.md). */
  republish: {
    services: ['order-api', 'payment-status'],
    file: 'republish.ts',
    args(args) {
      const since = args.length === 1 ? parseInstantOrAge(args[0] ?? '', new Date())?.toISOString() : undefined
      if (since === undefined) throw new UserError('npm run republish -- <time such as 2026-11-21T10:00:00Z, or 30m>')
      return [since]
    },
  },
  /** Prints the commands that shard the databases, once their indexes exist (docs/scaling.md). */
  'shard-indexes': {
    services: ['order-api', 'payment-status', 'webhook-dispatcher', 'ledger'],
    file: 'shard-indexes.ts',
  },
  /** Exit code 0 only when no service needs a key other than the first. */
  'master-keys': {
    services: ['auth-token', 'webhook-dispatcher'],
    file: 'master-keys.ts',
    args(args) {
      const wanted = { status: 1, reseal: 2 }[args[0] ?? '']
      if (args.length !== wanted) throw new UserError(MASTER_KEYS_USAGE)
      return args
    },
    env({ env, paths }) {
      if (env['MASTER_KEYS'] || env['MASTER_KEYS_FILE']) return {}
      if (!readStack(paths.stateDir)) throw new UserError('No master keys: set MASTER_KEYS, or start the stack.')
      return { MASTER_KEYS: ensureSecrets(paths.stateDir).masterKeys }
    },
  },
  /** Removes customers from orders (docs/operations/customer-data.md). File names become absolute, because the script runs in another directory. */
  'purge-customers': {
    services: ['order-api'],
    file: 'purge-customers.ts',
    args: ([kind = '', ...args], { env }) =>
      [kind, ...(kind === 'list' ? args.map((file) => userPath(env, file)) : args)].filter((arg) => arg !== ''),
  },
  /** Reads every payment of payment-status into the ledger again (docs/operations/backup-and-restore.md). */
  'ledger:rebuild': {
    services: ['ledger'],
    file: 'rebuild.ts',
    env({ env, paths }) {
      const stack = readStack(paths.stateDir)
      if (!stack && env['PAYMENT_STATUS_URL'] !== undefined) return {}
      if (!stack)
        throw new UserError('No payment-status: set PAYMENT_STATUS_URL, SERVICE_TOKEN and PAYER_HASH_KEY, or start the stack.')
      const { ledgerToken: SERVICE_TOKEN, payerHashKey: PAYER_HASH_KEY } = ensureSecrets(paths.stateDir)
      return { PAYMENT_STATUS_URL: stack.services['payment-status']?.url, SERVICE_TOKEN, PAYER_HASH_KEY, ...env }
    },
  },
}

await runCommand(async (context, [name = '', ...args]) => {
  const [command, script] = [COMMANDS[name], SCRIPTS[name]]
  if (command) return command(context, args)
  if (script) return runScripts(script, context, args)
  throw new UserError(`there is no command ${name}`)
})

async function runScripts({ services, file, ...needs }: Script, context: Context, given: readonly string[]): Promise<number> {
  const args = needs.args?.(given, context) ?? given
  const base: NodeJS.ProcessEnv = { ENVIRONMENT: 'sandbox', ...context.env, ...needs.env?.(context) }
  const env = { ...base, MONGO_URL: databaseServer(context) }
  const codes: number[] = []
  for (const service of services) {
    const own = { ...env, DATABASE: databaseName(base['DATABASE_PREFIX'] ?? '', service) }
    codes.push(await runScript(`services/${service}/src/${file}`, args, { ...context, env: own }))
  }
  return Math.max(...codes)
}

/** A path as the user wrote it: npm runs scripts in another directory. */
function userPath(env: NodeJS.ProcessEnv, path: string): string {
  return resolve(env['INIT_CWD'] ?? '.', path)
}

/** `MONGO_URL` of the environment, else of the running stack. Throws a `UserError` when there is neither. */
function databaseServer({ env, paths }: Pick<Context, 'env' | 'paths'>): string {
  const mongoUrl = env['MONGO_URL'] ?? readStack(paths.stateDir)?.mongo_url
  if (!mongoUrl) throw new UserError('No database: set MONGO_URL, or start the stack.')
  return mongoUrl
}

/** The folder and the flags of `npm run <command> -- <folder> [--flag]`. Throws a `UserError` with the usage. */
function readFolder(env: NodeJS.ProcessEnv, command: string, args: readonly string[], names: readonly string[]) {
  const usage = [`npm run ${command} -- <folder>`, ...names.map((name) => `[--${name}]`)].join(' ')
  try {
    const options = Object.fromEntries(names.map((name) => [name, { type: 'boolean' } as const]))
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    const [folder, ...more] = positionals
    if (folder === undefined || more.length > 0) throw new Error('one folder')
    return { folder: userPath(env, folder), flags: new Set(Object.keys(values)) }
  } catch (error) {
    throw new UserError(`${error instanceof Error ? error.message : String(error)}: ${usage}`)
  }
}
