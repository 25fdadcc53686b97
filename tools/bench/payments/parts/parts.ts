import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mongo } from 'mongoose'
import { removeNames } from '@gateway-tools/load/names'
import { openProgram, type Program } from '@gateway-tools/load/program'
import { LOG } from '../committed.ts'
import { benchCreate, benchSearch, type CreateResult } from '../create.ts'
import { runPayments } from '../end-to-end.ts'
import { putLoadOn, withCollection, type Bench } from '../stack.ts'
import type { PartFunctions, StartPart } from './part.ts'

/** Each part with the documents of the service that it stands for; a part is started after those that it calls. */
const PARTS = [
  ['hooks', ['webhook_dispatcher', 'deliveries'], {}],
  ['orders', ['order_api', 'orders'], {}],
  ['status', ['payment_status', 'transactions'], { status: 'Success' }],
  ['edge', ['order_api', 'orders'], {}],
  ['network', ['network_simulator', 'payments'], {}],
] as const
/** Of a service that has stored nothing yet. */
const DOCUMENT_BYTES = 1000

/**
 * The limit that `create` is measured against: the same documents, commands, messages and HTTP exchanges, between as many
 * processes, in the same batches, without anything that makes a gateway of them. Only `_id` is indexed; no body is checked, signed,
 * logged or counted, except for the line of each change, which the measurement reads.
 */
export async function benchParts(bench: Bench, concurrencies: readonly number[], durationMs: number) {
  const { stack, receiver } = bench
  const { base_url: baseUrl, network_url: networkUrl, mongo_url: mongoUrl, amqp_url: amqpUrl } = stack
  const parts: Bench = { ...bench, logDir: await mkdtemp(join(tmpdir(), 'bench-parts-')) }
  const database = `${bench.databasePrefix}parts`
  const amqpPrefix = `${database}.`
  const programs: Program<PartFunctions>[] = []
  const urls: Record<string, string> = {}
  try {
    const ca = await readFile(stack.ca_file, 'utf8')
    const start = { mongoUrl, amqpUrl, database, amqpPrefix, logFile: join(parts.logDir, LOG), urls, ca }
    for (const [role, collection, filter] of PARTS) {
      const stored = await withCollection(bench, collection, (documents) => documents.findOne(filter))
      const documentBytes = stored ? mongo.BSON.calculateObjectSize(stored) : DOCUMENT_BYTES
      const program = openProgram<PartFunctions>(`${import.meta.dirname}/part.ts`)
      programs.push(program)
      const own: StartPart = { ...start, documentBytes, webhookUrl: receiver.urls[0] ?? '' }
      urls[role] = await program.call(role, own)
    }
    await putLoadOn(bench, { baseUrl: urls['edge'] ?? '', networkUrl: urls['network'] ?? '' })
    return await measure(parts, concurrencies, durationMs)
  } finally {
    await putLoadOn(bench, { baseUrl, networkUrl })
    for (const program of programs) await program.close()
    await removeNames({ mongoUrl, amqpUrl }, { databasePrefix: database, amqpPrefix })
    await rm(parts.logDir, { recursive: true })
  }
}

async function measure(parts: Bench, concurrencies: readonly number[], durationMs: number) {
  // Compiled, like the services when they are measured.
  await benchCreate(parts, 32, durationMs)
  await runPayments(parts, { perSecond: 100, durationMs, patienceMs: 30_000 })
  const creates: CreateResult[] = []
  for (const concurrency of concurrencies) creates.push(await benchCreate(parts, concurrency, durationMs))
  await parts.load.call('callers', 'search', { concurrency: 32, durationMs: durationMs / 3 })
  const search = await benchSearch(parts, 64, durationMs)
  return { creates, search, paced: await runPayments(parts, { perSecond: 50, durationMs, patienceMs: 10_000 }) }
}
