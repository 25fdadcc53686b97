/** Database and broker as processes of this machine, from Debian packages. */
import { mkdir } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { keepRunning, type KeptProcess } from '@gateway-infra/system/keep-running'
import { instanceId } from '@gateway-infra/system/paths'
import { requireFree, type Ports } from '@gateway-infra/system/ports'
import { openProcessBook } from '@gateway-infra/system/process-book'
import { pingMongo, type Backing, type BackingOptions } from './backing.ts'
import { ensureGoProgram } from './go-program.ts'
import { startPostgres } from './postgres.ts'
import { askRabbitMq, startRabbitMq } from './rabbitmq.ts'
import { ensureRootfs, nativeDataDir, type Native } from './rootfs.ts'

/** One thread less than there are cores: on two cores, passing work between threads cost a fifth of its time. */
const FERRETDB_THREADS = Math.max(availableParallelism() - 1, 1)
const FERRETDB_READY_WITHIN_MS = 60_000

/** Starts database and broker in parallel; on a new machine it builds both first. */
export async function startNative(options: BackingOptions): Promise<Omit<Backing, 'reason'>> {
  const { stateDir, cacheDir, ports, progress, brokerDefinitions: definitions } = options
  const book = openProcessBook(stateDir, 'backing')
  const left = await book.endLeftovers()
  if (left.length > 0) progress.log(`ended processes of a killed stack: ${left.join(', ')}`)
  await requireFree(ports, ['mongo', 'postgres', 'amqp', 'epmd'])

  const [rootfs, ferretdb] = await Promise.all([
    ensureRootfs(cacheDir, progress),
    ensureGoProgram('ferretdb', cacheDir, progress),
  ])
  const native = { rootfs, dataDir: nativeDataDir(stateDir), logDir: join(stateDir, 'logs'), book, log: progress.log }
  const folder = join(stateDir, 'ferretdb')
  for (const needed of [native.logDir, join(rootfs, native.dataDir), folder]) await mkdir(needed, { recursive: true })

  await using undo = new AsyncDisposableStack()
  const [database, broker] = [new AsyncDisposableStack(), new AsyncDisposableStack()]
  undo.defer(async () => {
    await Promise.all([database.disposeAsync(), broker.disposeAsync()])
  })
  const startDatabase = async (): Promise<void> => {
    const postgres = await startPostgres(ports.postgres, native)
    database.defer(() => postgres.stop())
    const started = await startFerretDb(ferretdb, folder, ports, native)
    database.defer(() => started.stop())
  }
  const nodeName = `gateway-${instanceId(stateDir)}`
  const brokerOptions = { ...native, nodeName, port: ports.amqp, epmdPort: ports.epmd, definitions }
  const startBroker = async (): Promise<void> => {
    const rabbit = await startRabbitMq(brokerOptions)
    broker.defer(() => rabbit.stop())
  }
  const starts = await Promise.allSettled([
    progress.during('starting PostgreSQL and FerretDB', startDatabase),
    progress.during('starting RabbitMQ', startBroker),
  ])
  for (const one of starts) if (one.status === 'rejected') throw one.reason

  const running = undo.move()
  return {
    kind: 'native',
    mongoUrl: `mongodb://127.0.0.1:${ports.mongo}`,
    amqpUrl: `amqp://guest:guest@127.0.0.1:${ports.amqp}`,
    askBroker: (args) => askRabbitMq(brokerOptions, args),
    stop: () => running.disposeAsync(),
  }
}

/** MongoDB's protocol on PostgreSQL. It stores nothing itself; `folder` has a small state file. */
async function startFerretDb(binary: string, folder: string, ports: Ports, native: Native): Promise<KeptProcess> {
  return keepRunning({
    ...native,
    name: 'ferretdb',
    command: binary,
    args: [
      `--postgresql-url=postgres://postgres@127.0.0.1:${ports.postgres}/postgres?pool_max_conns=100`,
      `--listen-addr=127.0.0.1:${ports.mongo}`,
      `--state-dir=${folder}`,
      '--no-auth',
      '--telemetry=disable',
      '--debug-addr=-',
      '--log-level=warn',
    ],
    env: { PATH: process.env['PATH'], DO_NOT_TRACK: '1', GOMAXPROCS: String(FERRETDB_THREADS) },
    logFile: join(native.logDir, 'ferretdb.log'),
    isReady: () => pingMongo(`mongodb://127.0.0.1:${ports.mongo}`),
    readyWithinMs: FERRETDB_READY_WITHIN_MS,
  })
}
