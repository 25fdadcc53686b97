/** `npm run bench`: what the payment path does, each figure beside what its parts alone can do, in one run. */
import { rounded } from '@gateway-tools/load/figures'
import { describeMachine } from '@gateway-tools/load/machine'
import { summarize } from '@gateway-tools/load/statistics'
import { benchCreate, benchSearch, warmUp, type CreateResult } from './create.ts'
import { benchDispatch } from './dispatch.ts'
import { findHighestRate, holds, lateMs, runPayments, warmUpPayments } from './end-to-end.ts'
import { readOptions, type Part } from './options.ts'
import { benchParts } from './parts/parts.ts'
import { describeCallers, describeCreate, describeOverload, describePaced } from './report.ts'
import { openBench } from './stack.ts'

type Figures = Record<string, unknown>

/** An event that has not arrived this long after the end is lost. */
const LOST_AFTER_MS = 60_000

/** Found by `end-to-end` and doubled by `overload`, which finds it itself when it runs alone. */
let highestRate: number | undefined

const { STACK_FILE: stackFile = '', STACK_LOGS: logDir = '', DATABASE_PREFIX: databasePrefix = '' } = process.env
const { parts, quick, concurrencies } = readOptions(process.argv.slice(2))
const bench = await openBench({ stackFile, logDir, databasePrefix })
const measurements: Readonly<Record<Part, () => Promise<Figures>>> = {
  create: measureCreate,
  search: measureSearch,
  dispatch: () => benchDispatch(bench),
  'end-to-end': measureEndToEnd,
  overload: measureOverload,
  parts: measureParts,
}
try {
  console.log(`an order is ${await warmUp(bench)} bytes when it is stored\n`)
  const figures: Figures = {}
  for (const part of parts) Object.assign(figures, await measurements[part]())
  const { mongo_url: mongoUrl, amqp_url: amqpUrl } = bench.stack
  console.log(JSON.stringify({ ...figures, ...(await describeMachine({ mongoUrl, amqpUrl })) }))
} finally {
  await bench.close()
}

async function measureCreate(): Promise<Figures> {
  const results: CreateResult[] = []
  for (const concurrency of concurrencies) {
    const result = await benchCreate(bench, concurrency, quick ? 5000 : 15_000)
    console.log(`${describeCreate(result)}\n`)
    results.push(result)
  }
  const [alone, many] = [1, 64].map((callers) => results.find(({ concurrency }) => concurrency === callers))
  return {
    create_ratio: many?.undelivered === 0 ? rounded(many.ratio) : 0,
    create_p50_ratio: rounded(alone?.p50Ratio ?? NaN),
    create_per_second: rounded(many?.perSecond ?? NaN),
    create_p50_ms: results.map(({ latencyMs }) => rounded(latencyMs.p50)),
    create_p99_ms: results.map(({ latencyMs }) => rounded(latencyMs.p99)),
    insert_one_per_second: rounded(many?.limitPerSecond ?? NaN),
  }
}

async function measureSearch(): Promise<Figures> {
  const result = await benchSearch(bench, 64, quick ? 4000 : 12_000)
  console.log(`${describeCallers('search', 'findOne', result)}\n`)
  return {
    search_ratio: rounded(result.ratio),
    search_per_second: rounded(result.perSecond),
    search_p99_ms: rounded(result.latencyMs.p99),
    find_one_per_second: rounded(result.limitPerSecond),
  }
}

async function measureEndToEnd(): Promise<Figures> {
  await warmUpPayments(bench)
  const run = await runPayments(bench, { perSecond: 50, durationMs: quick ? 8000 : 20_000, patienceMs: 10_000 })
  console.log(`end to end ${describePaced(run)}\n`)
  return {
    e2e_p50_ms: rounded(run.latencyMs.p50),
    e2e_p99_ms: rounded(run.latencyMs.p99),
    e2e_missing: run.settled.missing.length,
    e2e_highest_per_second: await highest(),
  }
}

async function highest(): Promise<number> {
  highestRate ??= await findHighestRate(bench, quick ? 5000 : 10_000, (run) => {
    console.log(`${holds(run) ? 'holds' : 'does not hold'}: ${describePaced(run)}\n`)
  })
  return highestRate
}

async function measureOverload(): Promise<Figures> {
  const perSecond = 2 * Math.max(await highest(), 50)
  const run = await runPayments(bench, { perSecond, durationMs: quick ? 15_000 : 60_000, patienceMs: LOST_AFTER_MS })
  console.log(`${describeOverload(run)}\n`)
  return {
    overload_lost: run.settled.missing.length,
    overload_shed: run.load.shed,
    overload_rude: run.load.failed,
    overload_recovered_s: rounded(lateMs(run) / 1000),
    overload_p99_ms: rounded(summarize(run.load.latenciesMs).p99),
  }
}

async function measureParts(): Promise<Figures> {
  const { creates, search, paced } = await benchParts(bench, concurrencies, quick ? 5000 : 15_000)
  for (const result of creates) console.log(`parts: ${describeCreate(result)}\n`)
  console.log(`parts: ${describeCallers('search', 'findOne', search)}\n`)
  console.log(`parts: end to end ${describePaced(paced)}\n`)
  return {
    parts_create_ratio: rounded(creates.find(({ concurrency }) => concurrency === 64)?.ratio ?? NaN),
    parts_create_p50_ratio: rounded(creates.find(({ concurrency }) => concurrency === 1)?.p50Ratio ?? NaN),
    parts_search_ratio: rounded(search.ratio),
    parts_e2e_p50_ms: rounded(paced.latencyMs.p50),
    parts_e2e_p99_ms: rounded(paced.latencyMs.p99),
  }
}
