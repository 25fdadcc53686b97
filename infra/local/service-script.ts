/** Runs operators' scripts of the services, on the local stack or on the database that the environment names. */
import { join } from 'node:path'
import { type Context, runThrough } from '@gateway-infra/system/command'
import { ROOT } from '@gateway-infra/system/paths'
import { ensureSecrets } from './secrets.ts'
import { databaseName, type ServiceName } from './services.ts'
import { readStack } from './stack-file.ts'
import { UserError } from '@gateway-infra/system/user-error'

/** `MONGO_URL` of the environment, else of the running stack. Throws a `UserError` when there is neither. */
export function databaseServer({ env, paths }: Pick<Context, 'env' | 'paths'>): string {
  const mongoUrl = env['MONGO_URL'] ?? readStack(paths.stateDir)?.mongo_url
  if (!mongoUrl) throw new UserError('No database: set MONGO_URL, or start the stack.')
  return mongoUrl
}

/** Runs `services/<service>/src/<script>` on the service's database; resolves to its exit code. */
export async function runServiceScript(
  context: Context,
  service: ServiceName,
  script: string,
  args: readonly string[],
): Promise<number> {
  const { env, stopRequested } = context
  const own = {
    ENVIRONMENT: env['ENVIRONMENT'] ?? 'sandbox',
    MONGO_URL: databaseServer(context),
    DATABASE: databaseName(env['DATABASE_PREFIX'] ?? '', service),
  }
  const path = join(ROOT, 'services', service, 'src', script)
  return runThrough(process.execPath, [path, ...args], { cwd: ROOT, env: { ...env, ...own }, stopRequested })
}

/** `MASTER_KEYS` of the environment, else those of the local stack. */
export function masterKeysOf({ env, paths }: Pick<Context, 'env' | 'paths'>): string {
  const { MASTER_KEYS: given, MASTER_KEYS_FILE: file } = env
  if (given || file) return given ?? ''
  if (!readStack(paths.stateDir)) throw new UserError('No master keys: set MASTER_KEYS, or start the stack.')
  return ensureSecrets(paths.stateDir).masterKeys
}
