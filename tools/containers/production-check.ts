/** Starts the production compose file as an operator does: first without values, then with all of them. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { GOOD } from '@gateway-tools/config-table/production'
import type { Context } from '@gateway-infra/system/command'
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

type Compose = (args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<string>

/**
 * Throws unless every service names its missing value and exits, and all services become healthy once they have their values. The
 * database runs outside the compose file, as in production. Everything gets the label of this project and is removed afterwards.
 */
export async function checkProduction({ env, paths }: Pick<Context, 'env' | 'paths'>, project: string): Promise<void> {
  const folder = join(paths.stateDir, project)
  const own = { COMPOSE_PROJECT_NAME: project, SECRETS_PREFIX: `${folder}/secrets/` }
  const shared = { cwd: ROOT, logFile: join(paths.cacheDir, 'compose.log'), timeoutMs: UP_WITHIN_MS }
  const compose: Compose = (args, values) => run('docker', [...COMPOSE, ...args], { ...shared, env: { ...own, ...values } })
  const database = `${project}-database`
  try {
    const folders = { STATE_DIR: join(folder, 'state'), SECRETS_DIR: join(folder, 'secrets') }
    await run(process.execPath, [join(ROOT, 'infra/local/compose/setup.ts')], { env: folders })
    for (const [service, name] of Object.entries(REQUIRED)) await expectRefusal(service, name, compose)

    // Production takes no database without TLS and a login, which this image does not have; all else is as in production.
    const complete = { ...ADDRESSES, ENVIRONMENT: 'sandbox', MONGO_URL: `mongodb://${database}:27017/` }
    await compose(['create', '--no-build'], complete)
    const placement = ['--network', `${project}_services`, '--label', `com.docker.compose.project=${project}`]
    await run('docker', ['run', '--detach', '--name', database, ...placement, env['MONGO_IMAGE'] ?? 'mongo:8'], shared)
    await compose(['up', '--detach', '--wait', '--no-build'], complete)
  } finally {
    const ending = { ...shared, env: own, evenWhenStopping: true }
    await run('docker', ['rm', '--force', '--volumes', database], ending).catch(() => undefined)
    await run('docker', [...COMPOSE, 'down', '--volumes', '--remove-orphans'], ending)
    await rm(folder, { recursive: true, force: true })
  }
}

async function expectRefusal(service: string, name: string, compose: Compose): Promise<void> {
  const outcome = await compose(['run', '--rm', '--no-deps', '--no-TTY', service]).catch((error: unknown) => error)
  const message = outcome instanceof CommandFailed ? outcome.message : 'started'
  if (!message.includes(`exited with ${UNUSABLE_CONFIGURATION}`) || !message.includes(`${name} is required`))
    throw new Error(`${service} without ${name} in production: ${message}`)
}
