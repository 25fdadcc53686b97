import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mongo } from 'mongoose'
import { removeNames } from '@gateway-tools/load/names'
import { openProgram, type Program } from '@gateway-tools/load/program'
import { LOG } from '../committed.ts'
import { benchCreate, benchSearch, type CallersResult, type CreateResult } from '../create.ts'
import { runPayments, type PacedRun } from '../end-to-end.ts'
import { anyStored, putLoadOn, type Bench } from '../stack.ts'
import type { StartPart } from './part.ts'

export interface PartsResult {
  readonly creates: readonly CreateResult[]
  readonly search: CallersResult
  readonly paced: PacedRun
}

/**
 * The limit that `create` is measured against: the same documents, commands, messages and HTTP exchanges, between as many
 * processes, in the same batches, without anything that makes a gateway of them. Only `_id` is indexed; no body is checked, signed,
 * logged or counted, except for the line of each change, which the measurement reads.
 */
export async function benchParts(bench: Bench, concurrencies: readonly number[], durationMs: number): Promise<PartsResult> {
  const logDir = await mkdtemp(join(tmpdir(), 'bench-parts-'))
  const { base_url: baseUrl, network_url: networkUrl, mongo_url: mongoUrl, amqp_url: amqpUrl } = bench.stack
  const database = `${bench.databasePrefix}parts`
  const prefixes = { databasePrefix: database, amqpPrefix: `${database}.` }
  const programs: Program<StartPart, string>[] = []
  try {
    const urls = await startParts(bench, { database, amqpPrefix: prefixes.amqpPrefix, logFile: join(logDir, LOG) }, programs)
    const parts: Bench = { ...bench, logDir }
    await putLoadOn(bench, urls)
    // Compiled, like the services when they are measured.
    await benchCreate(parts, 32, durationMs)
    await runPayments(parts, { perSecond: 100, durationMs, patienceMs: 30_000 })
    const creates: CreateResult[] = []
    for (const concurrency of concurrencies) creates.push(await benchCreate(parts, concurrency, durationMs))
    await bench.load.call({ kind: 'callers', what: 'search', concurrency: 32, durationMs: durationMs / 3 })
    const search = await benchSearch(parts, 64, durationMs)
    return { creates, search, paced: await runPayments(parts, { perSecond: 50, durationMs, patienceMs: 10_000 }) }
  } finally {
    await putLoadOn(bench, { baseUrl, networkUrl })
    for (const program of programs) await program.close()
    await removeNames({ mongoUrl, amqpUrl }, prefixes)
    await rm(logDir, { recursive: true })
  }
}

/** Each part with the documents of the service that it stands for; a part is started after those that it calls. */
const PARTS = [
  ['hooks', ['webhook_dispatcher', 'deliveries'], {}],
  ['orders', ['order_api', 'orders'], {}],
  ['status', ['payment_status', 'transactions'], { status: 'Success' }],
  ['edge', ['order_api', 'orders'], {}],
  ['network', ['network_simulator', 'payments'], {}],
] as const
const DOCUMENT_BYTES = 1000

async function startParts(
  bench: Bench,
  own: Pick<StartPart, 'database' | 'amqpPrefix' | 'logFile'>,
  started: Program<StartPart, string>[],
): Promise<{ baseUrl: string; networkUrl: string }> {
  const { mongo_url: mongoUrl, amqp_url: amqpUrl, ca_file: caFile } = bench.stack
  const shared = { ...own, mongoUrl, amqpUrl, ca: await readFile(caFile, 'utf8'), webhookUrl: bench.receiver.urls[0] ?? '' }
  const urls: Record<string, string> = {}
  for (const [role, collection, filter] of PARTS) {
    const stored = await anyStored(bench, collection, filter)
    const documentBytes = stored ? mongo.BSON.calculateObjectSize(stored) : DOCUMENT_BYTES
    const program = openProgram<StartPart, string>(`${import.meta.dirname}/part.ts`)
    started.push(program)
    urls[role] = await program.call({ ...shared, role, documentBytes, urls })
  }
  return { baseUrl: urls['edge'] ?? '', networkUrl: urls['network'] ?? '' }
}
