/** The local stack: database, broker, all services, a seeded merchant, `stack.json`. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Context } from '@gateway-infra/system/command'
import { keepRunning, type KeptProcess } from '@gateway-infra/system/keep-running'
import { ROOT } from '@gateway-infra/system/paths'
import { requireFree, type Ports } from '@gateway-infra/system/ports'
import { openProcessBook } from '@gateway-infra/system/process-book'
import { brokerDefinitions } from '@gateway/messaging'
import { startBacking } from './backing/start-backing.ts'
import { ensureCa, ensureSecrets } from './secrets.ts'
import { seedMerchant } from './seed.ts'
import {
  brokerPasswords,
  serviceEnvironment,
  SERVICE_PORTS,
  SERVICES,
  serviceUrl,
  type ServiceName,
  type Wiring,
} from './services.ts'
import { describeStack, removeStack, writeStack, type Stack } from './stack-file.ts'
import { buildAllIndexes, compileServices, isReady, NODE_ARGS, NODE_ENVIRONMENT } from './start-services.ts'

export type RunningStack = Awaited<ReturnType<typeof startStack>>

const READY_WITHIN_MS = 60_000

/** Starts everything, then writes `stack.json`; undone when something fails. The caller holds the state directory's lock. */
export async function startStack({ paths, env, progress }: Context, ports: Ports) {
  await using undo = new AsyncDisposableStack()
  const { stateDir } = paths
  const logDir = join(stateDir, 'logs')
  removeStack(stateDir)
  const book = openProcessBook(stateDir, 'services')
  const left = await book.endLeftovers()
  if (left.length > 0) progress.log(`ended processes of a killed stack: ${left.join(', ')}`)
  await requireFree(ports, SERVICE_PORTS)
  const ca = await ensureCa(stateDir)
  const secrets = ensureSecrets(stateDir)

  const prefixes = { databasePrefix: env['DATABASE_PREFIX'] ?? '', amqpPrefix: env['AMQP_PREFIX'] ?? '' }
  const administrator = { name: 'guest', password: 'guest' }
  const users = { passwords: brokerPasswords(secrets), prefix: prefixes.amqpPrefix, administrator }
  const definitions = brokerDefinitions({ ...users, randomBytes })
  const backing = await startBacking({ ...paths, ports, progress, env, brokerDefinitions: JSON.stringify(definitions) })
  undo.defer(async () => progress.during('stopping the backing services', async () => backing.stop()))
  const { mongoUrl, amqpUrl } = backing
  const hasBrokerUsers = backing.kind === 'native'
  const wiring: Wiring = { ports, secrets, mongoUrl, amqpUrl, hasBrokerUsers, caFile: ca.certFile, ...prefixes }

  await progress.during('building indexes', () => buildAllIndexes({ ...wiring, logFile: join(logDir, 'indexes.log') }))
  await compileServices(progress, join(logDir, 'compile.log'))
  let publish = (): void => undefined
  // In parallel; each waits for what it needs.
  const starts = SERVICES.map((service) => {
    const cwd = join(ROOT, 'services', service.name)
    return keepRunning({
      name: service.name,
      command: process.execPath,
      args: [...NODE_ARGS, join(cwd, 'src/main.ts')],
      cwd,
      env: { ...NODE_ENVIRONMENT, ...serviceEnvironment(service, wiring, env) },
      logFile: join(logDir, `${service.name}.log`),
      isReady: () => isReady(`${serviceUrl(ports, service.name)}/readyz`),
      readyWithinMs: READY_WITHIN_MS,
      book,
      log: progress.log,
      onRestart: () => publish(),
    })
  })
  const started = await progress.during(`starting ${SERVICES.length} services`, () => Promise.allSettled(starts))
  const services = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  undo.defer(async () => progress.during('stopping the services', async () => stopAll(services)))
  for (const one of started) if (one.status === 'rejected') throw one.reason
  const merchant = await progress.during('seeding a merchant', () =>
    seedMerchant(stateDir, {
      baseUrl: serviceUrl(ports, 'api-gateway'),
      operator: { url: serviceUrl(ports, 'auth-token-operator'), token: secrets.authTokenOperatorToken },
      webhookUrl: env['WEBHOOK_URL'],
    }),
  )
  const describe = (): Stack => {
    const processes = services.map(({ name, pid }) => ({ name, pid, url: serviceUrl(ports, name as ServiceName) }))
    return describeStack(wiring, ca, merchant, processes)
  }
  publish = () => writeStack(stateDir, describe())
  publish()
  undo.defer(() => {
    publish = () => undefined
    removeStack(stateDir)
  })
  const running = undo.move()
  return { stack: describe(), backing, stop: () => running.disposeAsync() }
}

/** The gateway first, so that no request arrives while the other services stop. */
async function stopAll(services: readonly KeptProcess[]): Promise<void> {
  await services.find(({ name }) => name === 'api-gateway')?.stop()
  await Promise.all(services.map(async (service) => service.stop()))
}
