/** The local stack: database, broker, all services, a seeded merchant, `stack.json`. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Backing } from '@gateway-infra/offline/backing/backing'
import type { Context } from '@gateway-infra/system/command'
import { requireFree, type Ports } from '@gateway-infra/system/ports'
import { openProcessBook } from '@gateway-infra/system/process-book'
import { brokerDefinitions } from '@gateway/messaging'
import { startBacking } from './backing/start-backing.ts'
import { ensureCa, ensureSecrets } from './secrets.ts'
import { seedMerchant } from './seed.ts'
import { brokerPasswords, SERVICE_PORTS, serviceUrl, type ServiceName, type Wiring } from './services.ts'
import { describeStack, removeStack, writeStack, type Stack } from './stack-file.ts'
import { buildAllIndexes, compileServices, startServices } from './start-services.ts'

export interface RunningStack {
  readonly stack: Stack
  readonly backing: Backing
  stop(): Promise<void>
}

/**
 * Starts everything, then writes `stack.json`. When something fails, it stops what it has started. The caller holds the lock of
 * the state directory.
 */
export async function startStack({ paths, env, progress }: Context, ports: Ports): Promise<RunningStack> {
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
  const onRestart = (): void => publish()
  const services = await startServices({ stateDir, wiring, env, book, progress, undo, onRestart })
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
