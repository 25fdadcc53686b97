/** The local stack: database, broker, all services, a seeded merchant, `stack.json`. */
import { join } from 'node:path'
import type { Backing } from '@gateway-infra/offline/backing/backing'
import { startBacking } from './backing/start-backing.ts'
import { buildAllIndexes } from './build-indexes.ts'
import { ensureCa, type CaFiles } from './certificates.ts'
import type { Context } from '@gateway-infra/system/context'
import { compileServices } from './compile-services.ts'
import { requireFree, type Ports } from '@gateway-infra/system/ports'
import { ensureSecrets } from './secrets.ts'
import { seedMerchant } from './seed.ts'
import { SERVICE_PORTS, serviceUrl, type Wiring } from './services.ts'
import { removeStack, writeStack, type SeededMerchant, type Stack } from './stack-file.ts'
import { startServices } from './start-services.ts'
import type { RunningService } from './supervisor.ts'
import { openProcessBook } from '@gateway-infra/system/process-book'
import { createUndoStack, type UndoStack } from '@gateway-infra/system/undo'

export interface RunningStack {
  readonly stack: Stack
  readonly backing: Backing
  stop(): Promise<void>
}

/**
 * Starts everything, then writes `stack.json`. When something fails, it stops what it has started. The caller holds the lock of
 * the state directory.
 */
export async function startStack(context: Context, ports: Ports): Promise<RunningStack> {
  const undo = createUndoStack()
  try {
    return await bringUp(context, ports, undo)
  } catch (error) {
    await undo.run()
    throw error
  }
}

async function bringUp({ paths, env, progress }: Context, ports: Ports, undo: UndoStack): Promise<RunningStack> {
  const { stateDir } = paths
  removeStack(stateDir)
  const book = openProcessBook(stateDir, 'services')
  const left = await book.endLeftovers()
  if (left.length > 0) progress.log(`ended processes of a killed stack: ${left.join(', ')}`)
  await requireFree(ports, SERVICE_PORTS)
  const ca = await ensureCa(stateDir)
  const secrets = ensureSecrets(stateDir)

  const backing = await startBacking({ ...paths, ports, progress, env })
  undo.add(async () => progress.during('stopping the backing services', async () => backing.stop()))
  const prefixes = { databasePrefix: env['DATABASE_PREFIX'] ?? '', amqpPrefix: env['AMQP_PREFIX'] ?? '' }
  const { mongoUrl, amqpUrl } = backing
  const wiring: Wiring = { ports, secrets, mongoUrl, amqpUrl, caFile: ca.certFile, ...prefixes }

  const indexes = { mongoUrl, databasePrefix: prefixes.databasePrefix, logFile: join(stateDir, 'logs', 'indexes.log') }
  await progress.during('building indexes', async () => buildAllIndexes(indexes))
  await compileServices(progress, join(stateDir, 'logs', 'compile.log'))
  let describe: (() => Stack) | undefined
  const publish = (): void => {
    if (describe) writeStack(stateDir, describe())
  }
  const services = await startServices({ stateDir, wiring, env, book, progress, undo, onRestart: publish })
  const merchant = await progress.during('seeding a merchant', async () => seedMerchant(stateDir, wiring, env['WEBHOOK_URL']))
  const stack = (): Stack => describeStack(wiring, ca, merchant, services)
  describe = stack
  publish()
  undo.add(() => {
    describe = undefined
    removeStack(stateDir)
  })
  return { stack: stack(), backing, stop: async () => undo.run() }
}

function describeStack(wiring: Wiring, ca: CaFiles, merchant: SeededMerchant, services: readonly RunningService[]): Stack {
  const { ports, secrets } = wiring
  const described = services.map(
    ({ name, pid, healthUrl }) => [name, { pid, url: serviceUrl(ports, name), health: healthUrl }] as const,
  )
  return {
    base_url: serviceUrl(ports, 'api-gateway'),
    network_url: serviceUrl(ports, 'network-simulator'),
    ca_file: ca.certFile,
    ca_key_file: ca.keyFile,
    mongo_url: wiring.mongoUrl,
    amqp_url: wiring.amqpUrl,
    operator: { url: serviceUrl(ports, 'auth-token-operator'), token: secrets.authTokenOperatorToken },
    webhook_operator: { url: serviceUrl(ports, 'webhook-dispatcher-operator'), token: secrets.webhookOperatorToken },
    merchant,
    services: Object.fromEntries(described),
  }
}
