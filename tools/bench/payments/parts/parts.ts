import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mongo } from 'mongoose'
import { LOG } from '../committed.ts'
import { benchCreate, type CreateResult } from '../create.ts'
import { runPaced, type PacedRun } from '../end-to-end.ts'
import { openProgram, type Program } from '../program.ts'
import { removeNames } from '../remove-names.ts'
import { benchSearch, type SearchResult } from '../search.ts'
import type { Bench } from '../stack.ts'
import type { Backing } from './common.ts'
import type { StartEdge } from './edge.ts'
import type { StartHooks } from './hooks.ts'
import type { StartNetwork } from './network.ts'
import type { StartOrders } from './orders.ts'
import type { StartStatus } from './status.ts'

export interface PartsResult {
  readonly creates: readonly CreateResult[]
  readonly search: SearchResult
  readonly paced: PacedRun
}

/**
 * The same documents, commands, messages and HTTP exchanges, between as many processes, in the same batches, with nothing in
 * them that makes a gateway of it: what any gateway of these parts costs on this machine. Only `_id` is indexed, and no body
 * is looked at, signed, logged or counted (but for the line of each change, which is needed to measure).
 */
export async function benchParts(bench: Bench, concurrencies: readonly number[], durationMs: number): Promise<PartsResult> {
  const logDir = await mkdtemp(join(tmpdir(), 'bench-parts-'))
  const setup = { kind: 'setup', merchants: bench.merchants } as const
  const programs: Named[] = []
  const backing = backingOf(bench)
  try {
    const urls = await startPrograms(bench, backing, { logDir, started: programs })
    const others = bench.groups.filter(({ name }) => !(name in bench.stack.services))
    const parts: Bench = {
      ...bench,
      logDir,
      groups: [...programs.map(({ name, program: { pid } }) => ({ name, pid })), ...others],
    }
    await bench.load.call({ ...setup, ...urls })
    // Compiled, like the services when they are measured.
    await benchCreate(parts, 32, durationMs)
    await runPaced(parts, { perSecond: 100, durationMs, patienceMs: 30_000 })
    const creates: CreateResult[] = []
    for (const concurrency of concurrencies) creates.push(await benchCreate(parts, concurrency, durationMs))
    await bench.load.call({ kind: 'search', concurrency: 32, durationMs: durationMs / 3 })
    const search = await benchSearch(parts, 64, durationMs)
    return { creates, search, paced: await runPaced(parts, { perSecond: 50, durationMs, patienceMs: 10_000 }) }
  } finally {
    const { base_url: baseUrl, network_url: networkUrl } = bench.stack
    await bench.load.call({ ...setup, baseUrl, networkUrl })
    for (const { program } of programs) await program.close()
    await removeNames(backing, { databasePrefix: backing.database, amqpPrefix: backing.amqpPrefix })
    await rm(logDir, { recursive: true })
  }
}

/** Where it listens; what takes no calls answers with nothing. */
interface Listening {
  readonly url: string
}

interface Named {
  readonly name: string
  readonly program: Program<object, Listening>
}

function backingOf({ stack, databasePrefix }: Bench): Backing {
  const database = `${databasePrefix}parts`
  return { mongoUrl: stack.mongo_url, amqpUrl: stack.amqp_url, database, amqpPrefix: `${database}.` }
}

async function startPrograms(
  bench: Bench,
  backing: Backing,
  { logDir, started }: { logDir: string; started: Named[] },
): Promise<{ baseUrl: string; networkUrl: string }> {
  async function start(name: string, command: object): Promise<Listening> {
    const program = openProgram<object, Listening>(`${import.meta.dirname}/${name}.ts`)
    started.push({ name, program })
    return program.call(command)
  }
  const bytes = await documentBytes(bench)
  const ca = await readFile(bench.stack.ca_file, 'utf8')
  const asHooks: StartHooks = { ...backing, ca, webhookUrl: bench.webhookUrl, documentBytes: bytes.delivery }
  await start('hooks', asHooks)
  const asOrders: StartOrders = { ...backing, documentBytes: bytes.order }
  const orders = await start('orders', asOrders)
  const logFile = join(logDir, LOG)
  const asStatus: StartStatus = { ...backing, ordersUrl: orders.url, logFile, documentBytes: bytes.transaction }
  const status = await start('status', asStatus)
  const asEdge: StartEdge = { ordersUrl: orders.url, statusUrl: status.url }
  const edge = await start('edge', asEdge)
  const asNetwork: StartNetwork = { ...backing, edgeUrl: edge.url, statusUrl: status.url, documentBytes: bytes.payment }
  return { baseUrl: edge.url, networkUrl: (await start('network', asNetwork)).url }
}

/** As large as the gateway's own, which the stack has stored. */
async function documentBytes({
  stack,
  databasePrefix,
}: Bench): Promise<Record<'order' | 'transaction' | 'delivery' | 'payment', number>> {
  const client = await new mongo.MongoClient(stack.mongo_url).connect()
  const sizeOf = async (database: string, collection: string, filter = {}): Promise<number> => {
    const document = await client.db(`${databasePrefix}${database}`).collection(collection).findOne(filter)
    return document ? mongo.BSON.calculateObjectSize(document) : 1000
  }
  const [order, transaction, delivery, payment] = [
    await sizeOf('order_api', 'orders'),
    await sizeOf('payment_status', 'transactions', { status: 'Success' }),
    await sizeOf('webhook_dispatcher', 'deliveries'),
    await sizeOf('network_simulator', 'payments'),
  ]
  await client.close()
  return { order, transaction, delivery, payment }
}
