import { readFile } from 'node:fs/promises'
import { mongo } from 'mongoose'
import { removeNames } from '@gateway-tools/load/names'
import { openProgram, type Program } from '@gateway-tools/load/program'
import { benchCreate, type CreateResult } from '../create.ts'
import { withCollection, type Bench } from '../stack.ts'
import type { StartPart } from './common.ts'
import type { PartFunctions } from './part.ts'

/** Each part with the documents of the service that it stands for; a part is started after those that it calls. */
const PARTS = [
  ['hooks', ['webhook_dispatcher', 'deliveries']],
  ['orders', ['order_api', 'orders']],
  ['status', ['payment_status', 'transactions']],
  ['edge', ['order_api', 'orders']],
] as const
/** Of a service that has stored nothing yet. */
const DOCUMENT_BYTES = 1000

/**
 * The limit that `create` is measured against: the same documents, commands, messages and HTTP exchanges, between as many
 * processes, in the same batches, without anything that makes a gateway of them. Only `_id` is indexed; no body is checked, signed,
 * logged or counted.
 */
export async function benchParts(bench: Bench, concurrencies: readonly number[], durationMs: number): Promise<CreateResult[]> {
  const { stack, receiver, load, merchants } = bench
  const { base_url: baseUrl, network_url: networkUrl, mongo_url: mongoUrl, amqp_url: amqpUrl } = stack
  const database = `${bench.databasePrefix}parts`
  const amqpPrefix = `${database}.`
  const programs: Program<PartFunctions>[] = []
  const urls: Record<string, string> = {}
  try {
    const ca = await readFile(stack.ca_file, 'utf8')
    for (const [role, collection] of PARTS) {
      const stored = await withCollection(bench, collection, (documents) => documents.findOne())
      const documentBytes = stored ? mongo.BSON.calculateObjectSize(stored) : DOCUMENT_BYTES
      const program = openProgram<PartFunctions>(`${import.meta.dirname}/part.ts`)
      programs.push(program)
      const around = { ordersUrl: urls['orders'] ?? '', webhookUrl: receiver.urls[0] ?? '', ca }
      const start: StartPart = { mongoUrl, amqpUrl, database, amqpPrefix, documentBytes, ...around }
      urls[role] = await program.call(role, start)
    }
    await load.call('setup', { baseUrl: urls['edge'] ?? '', networkUrl, merchants })
    // Compiled, like the services when they are measured.
    await benchCreate(bench, 32, durationMs)
    const creates: CreateResult[] = []
    for (const concurrency of concurrencies) creates.push(await benchCreate(bench, concurrency, durationMs))
    return creates
  } finally {
    await load.call('setup', { baseUrl, networkUrl, merchants })
    for (const program of programs) await program.close()
    await removeNames({ mongoUrl, amqpUrl }, { databasePrefix: database, amqpPrefix })
  }
}
