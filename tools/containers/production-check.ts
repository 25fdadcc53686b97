/** Starts the production compose file as an operator does: first without values, then with all of them. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { GOOD } from '@gateway-tools/config-table/production-values'
import type { Context } from '@gateway-infra/system/context'
import { ROOT } from '@gateway-infra/system/paths'
import { CommandFailed, run } from '@gateway-infra/system/run'

/** For each service, one value without which it does not start. */
const REQUIRED = {
  'auth-token': 'MONGO_URL',
  'order-api': 'AMQP_URL',
  'payment-status': 'NETWORK_URL',
  checkout: 'PUBLIC_URL',
  'webhook-dispatcher': 'JWKS_URL',
  ledger: 'WEBHOOK_DISPATCHER_URL',
  'api-gateway': 'CHECKOUT_URL',
} as const
const UNUSABLE_CONFIGURATION = 78
const COMPOSE = ['compose', '--env-file', 'infra/compose/production.env']
const UP_WITHIN_MS = 300_000

/** Valid addresses from the configuration tests. A service starts also when nothing answers there. */
const ADDRESSES = Object.fromEntries(Object.entries(GOOD).filter(([name]) => name.endsWith('_URL')))

/**
 * Throws unless every service names its missing value and exits, and all services become healthy once they have their values. The
 * database runs outside the compose file, as in production. Everything gets the label of this project and is removed afterwards.
 */
export async function checkProduction({ env, paths }: Pick<Context, 'env' | 'paths'>, project: string): Promise<void> {
  const folder = join(paths.stateDir, project)
  const shared = {
    cwd: ROOT,
    logFile: join(paths.cacheDir, 'compose.log'),
    timeoutMs: UP_WITHIN_MS,
    env: { COMPOSE_PROJECT_NAME: project, SECRETS_PREFIX: `${folder}/secrets/` },
  }
  try {
    await createSecrets(folder)
    for (const [service, name] of Object.entries(REQUIRED)) await expectRefusal(service, name, shared)
    await expectHealthy(project, env['MONGO_IMAGE'] ?? 'mongo:8', shared)
  } finally {
    const ending = { ...shared, evenWhenStopping: true }
    await run('docker', ['rm', '--force', '--volumes', databaseOf(project)], ending).catch(() => undefined)
    await run('docker', [...COMPOSE, 'down', '--volumes', '--remove-orphans'], ending)
    await rm(folder, { recursive: true, force: true })
  }
}

type Options = NonNullable<Parameters<typeof run>[2]>

async function createSecrets(folder: string): Promise<void> {
  const env = { STATE_DIR: join(folder, 'state'), SECRETS_DIR: join(folder, 'secrets') }
  await run(process.execPath, [join(ROOT, 'infra/local/compose/setup.ts')], { env })
}

async function expectRefusal(service: string, name: string, options: Options): Promise<void> {
  const outcome = await run('docker', [...COMPOSE, 'run', '--rm', '--no-deps', '--no-TTY', service], options).catch(
    (error: unknown) => error,
  )
  const message = outcome instanceof CommandFailed ? outcome.message : 'started'
  if (!message.includes(`exited with ${UNUSABLE_CONFIGURATION}`) || !message.includes(`${name} is required`))
    throw new Error(`${service} without ${name} in production: ${message}`)
}

async function expectHealthy(project: string, mongoImage: string, options: Options): Promise<void> {
  const complete: Options = {
    ...options,
    // Production takes no database without TLS and a login, which this image does not have; all else is as in production.
    env: { ...options.env, ...ADDRESSES, ENVIRONMENT: 'sandbox', MONGO_URL: `mongodb://${databaseOf(project)}:27017/` },
  }
  await run('docker', [...COMPOSE, 'create', '--no-build'], complete)
  const placement = ['--network', `${project}_services`, '--label', `com.docker.compose.project=${project}`]
  await run('docker', ['run', '--detach', '--name', databaseOf(project), ...placement, mongoImage], complete)
  await run('docker', [...COMPOSE, 'up', '--detach', '--wait', '--no-build'], complete)
}

function databaseOf(project: string): string {
  return `${project}-database`
}
