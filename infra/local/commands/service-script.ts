/**
 * `service-script.ts <command> [...arguments]`: runs operators' scripts of services, `services/<service>/src/<script>`, on the
 * running stack or on the database that the environment names. The exit code is the highest of the scripts'.
 */
import { parseInstantOrAge } from '@gateway/contracts'
import { runCommand, runScript, type Context } from '@gateway-infra/system/command'
import { UserError } from '@gateway-infra/system/user-error'
import { databaseServer, userPath } from '../read-arguments.ts'
import { ensureSecrets } from '../secrets.ts'
import { databaseName, type ServiceName } from '../services.ts'
import { readStack } from '../stack-file.ts'

interface ScriptCommand {
  readonly services: readonly ServiceName[]
  readonly script: string
  /** The scripts' arguments. Throws a `UserError` with the usage. */
  readonly args?: (args: readonly string[], context: Context) => readonly string[]
  /** Variables that the scripts need besides those of the database. Throws a `UserError` when neither environment nor stack has it. */
  readonly env?: (context: Context) => NodeJS.ProcessEnv
}

const MASTER_KEYS_USAGE = `npm run master-keys -- status            how much each service keeps under which master key
npm run master-keys -- reseal <key id>   seals all of it under this key, the first of MASTER_KEYS
They work on the running stack, or on MONGO_URL with MASTER_KEYS. docs/operations/master-keys.md explains them.`

const COMMANDS: Readonly<Record<string, ScriptCommand>> = {
  /** Publishes events since an instant again (docs/operations/backup-and-restore.md). */
  republish: {
    services: ['order-api', 'payment-status'],
    script: 'republish.ts',
    args(args) {
      const since = args.length === 1 ? parseInstantOrAge(args[0] ?? '', new Date())?.toISOString() : undefined
      if (since === undefined) throw new UserError('npm run republish -- <time such as 2026-11-21T10:00:00Z, or 30m>')
      return [since]
    },
  },
  /** Exit code 0 only when no service needs a key other than the first. */
  'master-keys': {
    services: ['auth-token', 'webhook-dispatcher'],
    script: 'master-keys.ts',
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
    script: 'purge-customers.ts',
    args: ([kind = '', ...args], { env }) =>
      [kind, ...(kind === 'list' ? args.map((file) => userPath(env, file)) : args)].filter((arg) => arg !== ''),
  },
  /** Reads every payment of payment-status into the ledger again (docs/operations/backup-and-restore.md). */
  'ledger:rebuild': {
    services: ['ledger'],
    script: 'rebuild.ts',
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

await runCommand(async (context, [name = '', ...given]) => {
  const command = COMMANDS[name]
  if (!command) throw new UserError(`there is no command ${name}`)
  const args = command.args?.(given, context) ?? given
  const base: NodeJS.ProcessEnv = { ENVIRONMENT: 'sandbox', ...context.env, ...command.env?.(context) }
  const env = { ...base, MONGO_URL: databaseServer(context) }
  const codes: number[] = []
  for (const service of command.services) {
    const own = { ...env, DATABASE: databaseName(base['DATABASE_PREFIX'] ?? '', service) }
    codes.push(await runScript(`services/${service}/src/${command.script}`, args, { ...context, env: own }))
  }
  return Math.max(...codes)
})
