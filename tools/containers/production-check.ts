/** Production as its operators start it: with nothing filled in, and with everything. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { GOOD } from '@gateway-tools/config-table/production-values'
import type { Context } from '@gateway-infra/system/context'
import { ROOT } from '@gateway-infra/system/paths'
import { CommandFailed, run } from '@gateway-infra/system/run'

/** Each service with a value that it does not start without. */
const MISSED = {
  'auth-token': 'MONGO_URL',
  'order-api': 'AMQP_URL',
  'payment-status': 'NETWORK_URL',
  checkout: 'PUBLIC_URL',
  'webhook-dispatcher': 'JWKS_URL',
  'api-gateway': 'CHECKOUT_URL',
} as const
const UNUSABLE_CONFIGURATION = 78
const COMPOSE = ['compose', '--env-file', 'infra/compose/production.env']
const UP_WITHIN_MS = 300_000

/** Safe addresses, as the tests of configurations have them; nobody has to answer there for a service to start. */
const ADDRESSES = Object.fromEntries(Object.entries(GOOD).filter(([name]) => name.endsWith('_URL')))

/**
 * Throws unless every service names what it misses and ends, and all are healthy once they have it: on a database that stands
 * outside, as production's does. Publishes what the environment says. All that is made has the label of this project, and is gone
 * afterwards.
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
    await drawSecrets(folder)
    for (const [service, name] of Object.entries(MISSED)) await refuses(service, name, shared)
    await starts(project, env['MONGO_IMAGE'] ?? 'mongo:8', shared)
  } finally {
    const ending = { ...shared, evenWhenStopping: true }
    await run('docker', ['rm', '--force', '--volumes', databaseOf(project)], ending).catch(() => undefined)
    await run('docker', [...COMPOSE, 'down', '--volumes', '--remove-orphans'], ending)
    await rm(folder, { recursive: true, force: true })
  }
}

type Options = NonNullable<Parameters<typeof run>[2]>

async function drawSecrets(folder: string): Promise<void> {
  const env = { STATE_DIR: join(folder, 'state'), SECRETS_DIR: join(folder, 'secrets') }
  await run(process.execPath, [join(ROOT, 'infra/local/compose/setup.ts')], { env })
}

async function refuses(service: string, name: string, options: Options): Promise<void> {
  const outcome = await run('docker', [...COMPOSE, 'run', '--rm', '--no-deps', '--no-TTY', service], options).catch(
    (error: unknown) => error,
  )
  const said = outcome instanceof CommandFailed ? outcome.message : 'started'
  if (!said.includes(`exited with ${UNUSABLE_CONFIGURATION}`) || !said.includes(`${name} is required`))
    throw new Error(`${service} without ${name} in production: ${said}`)
}

async function starts(project: string, mongoImage: string, options: Options): Promise<void> {
  const filledIn: Options = {
    ...options,
    env: { ...options.env, ...ADDRESSES, MONGO_URL: `mongodb://${databaseOf(project)}:27017/` },
  }
  await run('docker', [...COMPOSE, 'create', '--no-build'], filledIn)
  const place = ['--network', `${project}_services`, '--label', `com.docker.compose.project=${project}`]
  await run('docker', ['run', '--detach', '--name', databaseOf(project), ...place, mongoImage], filledIn)
  await run('docker', [...COMPOSE, 'up', '--detach', '--wait', '--no-build'], filledIn)
}

function databaseOf(project: string): string {
  return `${project}-database`
}
