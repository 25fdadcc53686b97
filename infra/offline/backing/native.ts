/** Database and broker as processes of this machine, from Debian packages. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { instanceId } from '@gateway-infra/system/paths'
import { requireFree } from '@gateway-infra/system/ports'
import { openProcessBook } from '@gateway-infra/system/process-book'
import type { Backing, BackingOptions } from './backing.ts'
import { startFerretDb } from './ferretdb.ts'
import { ensureFerretDb } from './go-program.ts'
import { nativeDataDir } from './native-data.ts'
import { startPostgres } from './postgres.ts'
import { startRabbitMq } from './rabbitmq.ts'
import { ensureRootfs } from './rootfs.ts'

/** Starts database and broker in parallel; on a new machine it builds both first. */
export async function startNative(options: BackingOptions): Promise<Omit<Backing, 'reason'>> {
  const { stateDir, cacheDir, ports, progress, brokerDefinitions: definitions } = options
  const book = openProcessBook(stateDir, 'backing')
  const left = await book.endLeftovers()
  if (left.length > 0) progress.log(`ended processes of a killed stack: ${left.join(', ')}`)
  await requireFree(ports, ['mongo', 'postgres', 'amqp', 'epmd'])

  const [rootfs, binary] = await Promise.all([ensureRootfs(cacheDir, progress), ensureFerretDb(cacheDir, progress)])
  const service = { rootfs, dataDir: nativeDataDir(stateDir), logDir: join(stateDir, 'logs'), book, log: progress.log }
  for (const folder of [service.logDir, join(rootfs, service.dataDir)]) await mkdir(folder, { recursive: true })

  const startDatabase = async (): Promise<AsyncDisposableStack> => {
    await using started = new AsyncDisposableStack()
    const postgres = await startPostgres(ports.postgres, service)
    started.defer(() => postgres.stop())
    const own = { binary, port: ports.mongo, postgresPort: ports.postgres, folder: join(stateDir, 'ferretdb') }
    const ferretdb = await startFerretDb({ ...service, ...own })
    started.defer(() => ferretdb.stop())
    return started.move()
  }
  const broker = { ...service, nodeName: `gateway-${instanceId(stateDir)}`, port: ports.amqp, epmdPort: ports.epmd, definitions }
  const [database, firstRabbit] = await Promise.allSettled([
    progress.during('starting PostgreSQL and FerretDB', startDatabase),
    progress.during('starting RabbitMQ', async () => startRabbitMq(broker)),
  ])
  if (database.status === 'rejected' || firstRabbit.status === 'rejected') {
    if (database.status === 'fulfilled') await database.value.disposeAsync()
    if (firstRabbit.status === 'fulfilled') await firstRabbit.value.stop()
    throw [database, firstRabbit].find((one) => one.status === 'rejected')?.reason
  }

  let rabbit = firstRabbit.value
  return {
    kind: 'native',
    mongoUrl: `mongodb://127.0.0.1:${ports.mongo}`,
    amqpUrl: rabbit.url,
    async restartBroker() {
      await rabbit.stop()
      rabbit = await startRabbitMq(broker)
    },
    async stop() {
      await Promise.all([database.value.disposeAsync(), rabbit.stop()])
    },
  }
}
