import { masterKeysOf, runServiceScript } from '../service-script.ts'
import { UserError } from '@gateway-infra/system/user-error'
import { type Command, runCommand } from '@gateway-infra/system/command'

const USAGE = `npm run master-keys -- status            how much each service keeps under which master key
npm run master-keys -- reseal <key id>   seals all of it under this key, the first of MASTER_KEYS
They work on the running stack, or on MONGO_URL with MASTER_KEYS. docs/operations/master-keys.md explains them.`

/** Runs the master-keys script of every service with secrets; exit code 0 only when none needs a key other than the first. */
const masterKeys: Command = async (context, args) => {
  const [action] = args
  if (!(action === 'status' && args.length === 1) && !(action === 'reseal' && args.length === 2)) throw new UserError(USAGE)
  const env = { ...context.env, MASTER_KEYS: masterKeysOf(context) }
  const codes: number[] = []
  for (const service of ['auth-token', 'webhook-dispatcher'] as const)
    codes.push(await runServiceScript({ ...context, env }, service, 'master-keys.ts', args))
  return Math.max(...codes)
}

await runCommand(masterKeys)
