import { type Command, runCommand } from '@gateway-infra/system/command'
import { UserError } from '@gateway-infra/system/user-error'
import { ensureSecrets } from '../secrets.ts'
import { runServiceScript } from '../service-script.ts'
import { readStack } from '../stack-file.ts'

/**
 * Reads every payment of payment-status into the ledger again, of the running stack or of the services that the environment names
 * (docs/operations/backup-and-restore.md).
 */
const rebuild: Command = async (context, args) => {
  const { env, paths } = context
  const stack = readStack(paths.stateDir)
  if (!stack && env['PAYMENT_STATUS_URL'] === undefined)
    throw new UserError('No payment-status: set PAYMENT_STATUS_URL, SERVICE_TOKEN and PAYER_HASH_KEY, or start the stack.')
  const secrets = stack ? ensureSecrets(paths.stateDir) : undefined
  const ofStack = {
    PAYMENT_STATUS_URL: stack?.services['payment-status']?.url,
    SERVICE_TOKEN: secrets?.ledgerToken,
    PAYER_HASH_KEY: secrets?.payerHashKey,
  }
  return runServiceScript({ ...context, env: { ...ofStack, ...env } }, 'ledger', 'rebuild.ts', args)
}

await runCommand(rebuild)
