/** `npm run bench:ledger`: lists, timelines, lag, reports and an import, with many payments stored. */
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { mongo } from 'mongoose'
import { buildAllIndexes } from '@gateway-infra/local/start-services'
import { runCommand } from '@gateway-infra/system/command'
import { residentMb } from '@gateway-infra/system/processes'
import { addDays, istDay } from '@gateway/contracts'
import { Gateway } from '@gateway/sdk'
import { createMerchant } from '@gateway/testkit/merchants'
import { percentile, rounded } from '@gateway-tools/load/statistics'
import { describeMachine } from '@gateway-tools/load/machine'
import { explainOptions, wholeNumber } from '@gateway-tools/load/options'
import { runPayments } from '../payments/end-to-end.ts'
import { withBench, withCollection, type Bench } from '../payments/stack.ts'
import { readReports, timeReads, walkWhile } from './calls.ts'
import { DAYS, fillLedger, planFill } from './fill.ts'
import { plansWithoutIndex } from './plans.ts'
import { findingsOf, importFile, settlementFile } from './settlement.ts'

const MERCHANTS = 200
const SAMPLE_EVERY_MS = 250

async function measure(bench: Bench, payments: number, tell: (line: string) => void): Promise<Record<string, unknown>> {
  const { stack, databasePrefix, logDir } = bench
  const database = `${databasePrefix}ledger`
  const merchants = [...bench.merchants]
  while (merchants.length < MERCHANTS)
    merchants.push(await createMerchant(stack.operator, { name: `Merchant ${merchants.length + 1}` }))
  const merchantIds = merchants.map(({ merchant_id: id }) => id)
  const plan = planFill(payments, merchantIds)
  const mongoClient = await new mongo.MongoClient(stack.mongo_url, { maxPoolSize: 8 }).connect()
  await fillLedger(mongoClient.db(database), plan, tell).finally(() => mongoClient.close())
  await buildAllIndexes({ mongoUrl: stack.mongo_url, databasePrefix, logFile: `${logDir}/indexes.log` })
  tell('indexes built')

  const pay = (durationMs: number) => runPayments(bench, { perSecond: 50, durationMs, patienceMs: 30_000 })
  await pay(5000)
  const since = new Date().toISOString()
  const before = await lagBuckets(stack)
  await pay(20_000)
  const lagMs = lagP99Ms(before, await lagBuckets(stack))
  const client = { baseUrl: stack.base_url, timeoutMs: 60_000, deadlineMs: 120_000 }
  const gateways = merchants.map((credentials) => new Gateway({ ...client, credentials }))
  const writing = pay(20_000)
  // The first merchants are those that the payments are made for.
  const walk = await walkWhile(writing, gateways.slice(0, bench.merchants.length), (merchant) =>
    transactionsOf(bench, merchantIds[merchant] ?? ''),
  )
  const reads = await timeReads(gateways, { to: new Date(plan.startMs + DAYS * 86_400_000).toISOString(), since })
  tell('reports')
  const first = istDay(new Date(plan.startMs))
  const days = Array.from({ length: DAYS + 1 }, (_, index) => addDays(first, index))
  const report = await watched(bench, () => readReports(gateways, days))
  tell('import')
  const { planted, text } = settlementFile(plan, addDays(istDay(new Date()), -3))
  const imported = await watched(bench, () => importFile(stack.ledger_operator, text()))
  // Now that every collection has documents.
  const without = await plansWithoutIndex(stack.mongo_url, database, merchantIds[0] ?? '')
  const p95 = (times: readonly number[]): number => rounded(percentile(times, 0.95))
  const found = await findingsOf(stack.ledger_operator, imported.result)
  return {
    ...{ list_first_p95_ms: p95(reads.first), list_deep_p95_ms: p95(reads.deep) },
    ...{ list_filtered_p95_ms: p95(reads.filtered), timeline_p95_ms: p95(reads.timeline) },
    ...walk,
    ...{ plans_without_index: without.length, without, lag_p99_ms: lagMs },
    ...{ report_rows: report.result, report_s: report.tookS, report_memory_growth_mb: report.grownMb },
    ...{ import_s: imported.tookS, import_memory_growth_mb: imported.grownMb },
    ...{ differences_planted: planted.size, differences_found: [...planted].filter((one) => found.has(one)).length },
    false_differences: [...found].filter((one) => !planted.has(one)).length,
  }
}

function transactionsOf(bench: Bench, merchantId: string): Promise<string[]> {
  return withCollection(bench, ['ledger', 'payments'], async (payments) => {
    const range = { $gt: `${merchantId}:`, $lt: `${merchantId}:~` } as never
    const found = await payments.find({ _id: range }).project({ _id: 1 }).toArray()
    return found.map(({ _id }) => String(_id).slice(merchantId.length + 1))
  })
}

/** How long `work` took, and by how much the gateway or the ledger grew meanwhile. */
async function watched<T>({ stack }: Bench, work: () => Promise<T>): Promise<{ result: T; tookS: number; grownMb: number }> {
  const pids = ['ledger', 'api-gateway'].map((name) => stack.services[name]?.pid ?? 0)
  const before = pids.map(residentMb)
  let grownMb = 0
  const sample = (): void =>
    void (grownMb = Math.max(grownMb, ...pids.map((pid, index) => residentMb(pid) - (before[index] ?? 0))))
  const sampler = setInterval(sample, SAMPLE_EVERY_MS)
  const startedMs = performance.now()
  try {
    const result = await work()
    return { result, tookS: rounded((performance.now() - startedMs) / 1000), grownMb: rounded(grownMb) }
  } finally {
    clearInterval(sampler)
  }
}

type Buckets = ReadonlyMap<number, number>

/** How many events had at most each lag, in seconds, since the ledger's start. */
async function lagBuckets({ services }: Bench['stack']): Promise<Buckets> {
  const text = await (await fetch(`${services['ledger']?.url}/metrics`)).text()
  const lines = [...text.matchAll(/^ledger_lag_seconds_bucket\{[^}]*le="([^"]+)"[^}]*\} (\d+)$/gmu)]
  return new Map(lines.map(([, le, count]) => [le === '+Inf' ? Infinity : Number(le), Number(count)]))
}

/** The upper end of the bucket that holds the 99th percentile. */
function lagP99Ms(before: Buckets, after: Buckets): number {
  const counts = [...after].map(([le, count]) => [le, count - (before.get(le) ?? 0)] as const)
  const all = counts.find(([le]) => le === Infinity)?.[1] ?? 0
  return (counts.find(([, count]) => all > 0 && count >= all * 0.99)?.[0] ?? NaN) * 1000
}

await runCommand((context, args) => {
  const payments = explainOptions('--payments 1000000', () => {
    const { values } = parseArgs({ args: [...args], options: { payments: { type: 'string' } } })
    return wholeNumber(values.payments ?? '1000000')
  })
  return withBench(context, { name: 'ledger', env: {} }, async (bench) => {
    const figures = await measure(bench, payments, context.progress.log)
    const machine = await describeMachine(bench.stack.mongo_url, bench.stack.amqp_url)
    console.log(JSON.stringify({ ...figures, payments, load: loadavg()[1], ...machine }))
    return 0
  })
})
