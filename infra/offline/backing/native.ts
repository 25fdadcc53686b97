/** Database and broker as processes of this machine, from Debian packages. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Child } from '@gateway-infra/system/child'
import { instanceId } from '@gateway-infra/system/paths'
import { requireFree } from '@gateway-infra/system/ports'
import { openProcessBook } from '@gateway-infra/system/process-book'
import type { Backing, BackingOptions } from './backing.ts'
import { ensureFerretDb } from './ferretdb-build.ts'
import { startFerretDb } from './ferretdb.ts'
import { nativeDataDir } from './native-data.ts'
import { startPostgres } from './postgres.ts'
import { startRabbitMq } from './rabbitmq.ts'
import { ensureRootfs } from './rootfs.ts'

/** Starts database and broker in parallel; on a new machine it builds both first. */
export async function startNative(options: BackingOptions): Promise<Omit<Backing, 'reason'>> {
  const { stateDir, cacheDir, ports, progress } = options
  const book = openProcessBook(stateDir, 'backing')
  const left = await book.endLeftovers()
  if (left.length > 0) progress.log(`ended processes of a killed stack: ${left.join(', ')}`)
  await requireFree(ports, ['mongo', 'postgres', 'amqp', 'epmd'])

  const [rootfs, binary] = await Promise.all([ensureRootfs(cacheDir, progress), ensureFerretDb(cacheDir, progress)])
  const dataDir = nativeDataDir(stateDir)
  const logDir = join(stateDir, 'logs')
  await mkdir(logDir, { recursive: true })
  await mkdir(join(rootfs, dataDir), { recursive: true })
  const service = { rootfs, dataDir, logDir, book }

  const startDatabase = async (): Promise<{ postgres: Child; ferretdb: Child & { url: string } }> => {
    const postgres = await startPostgres(ports.postgres, service)
    const folder = join(stateDir, 'ferretdb')
    const where = { port: ports.mongo, postgresPort: ports.postgres }
    try {
      return { postgres, ferretdb: await startFerretDb({ binary, folder, logDir, book, ...where }) }
    } catch (error) {
      await postgres.stop()
      throw error
    }
  }
  const broker = { ...service, nodeName: `gateway-${instanceId(stateDir)}`, port: ports.amqp, epmdPort: ports.epmd }
  const [database, firstRabbit] = await bothOrNeither(
    progress.during('starting PostgreSQL and FerretDB', startDatabase),
    progress.during('starting RabbitMQ', async () => startRabbitMq(broker)),
    async ({ ferretdb, postgres }) => stopInOrder([ferretdb, postgres]),
    async (started) => stopInOrder([started.broker, started.epmd]),
  )

  let rabbit = firstRabbit
  const children = [database.postgres, database.ferretdb, rabbit.broker, rabbit.epmd]
  return {
    kind: 'native',
    mongoUrl: database.ferretdb.url,
    amqpUrl: rabbit.url,
    pids: Object.fromEntries(children.map(({ name, pid }) => [name, pid])),
    failed: Promise.race(children.map(async (child) => `${child.name} ended by itself (${await child.exited})`)),
    async restartBroker() {
      await stopInOrder([rabbit.broker, rabbit.epmd])
      rabbit = await startRabbitMq(broker)
    },
    async stop() {
      await Promise.all([stopInOrder([database.ferretdb, database.postgres]), stopInOrder([rabbit.broker, rabbit.epmd])])
    },
  }
}

async function stopInOrder(children: readonly Child[]): Promise<void> {
  for (const child of children) await child.stop()
}

/** If one fails to start, the other is stopped. */
async function bothOrNeither<A, B>(
  first: Promise<A>,
  second: Promise<B>,
  undoFirst: (value: A) => Promise<void>,
  undoSecond: (value: B) => Promise<void>,
): Promise<[A, B]> {
  const [a, b] = await Promise.allSettled([first, second])
  if (a.status === 'fulfilled' && b.status === 'fulfilled') return [a.value, b.value]
  if (a.status === 'fulfilled') await undoFirst(a.value)
  if (b.status === 'fulfilled') await undoSecond(b.value)
  throw a.status === 'rejected' ? a.reason : b.status === 'rejected' ? b.reason : new Error('unreachable')
}
