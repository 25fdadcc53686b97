/** `npm run bench`: what the payment path does, each figure beside what its parts alone can do, in one run. */
import { benchCost } from './cost/cost.ts'
import { costFigures, describeCost } from './cost/report.ts'
import { benchCreate, warmUp, type CreateResult } from './create.ts'
import { benchDispatch } from './dispatch.ts'
import { findHighestRate, holds, runPaced, warmUpPayments } from './end-to-end.ts'
import { readOptions, type BenchOptions } from './options.ts'
import { benchOverload } from './overload.ts'
import { describeCreate, describeMachine, describeOverload, describePaced, describeSearch, rounded } from './report.ts'
import { benchParts } from './parts/parts.ts'
import { benchSearch } from './search.ts'
import { openBench, type Bench } from './stack.ts'

type Figures = Record<string, unknown>

/** Found by `end-to-end` and doubled by `overload`, which finds it itself when it runs alone. */
let highestRate: number | undefined

const { STACK_FILE: stackFile = '', STACK_LOGS: logDir = '', DATABASE_PREFIX: databasePrefix = '' } = process.env
const options = readOptions(process.argv.slice(2))
const bench = await openBench({ stackFile, logDir, databasePrefix })
try {
  const documentBytes = await warmUp(bench)
  console.log(`an order is ${documentBytes} bytes when it is stored\n`)
  const figures: Figures = {}
  for (const part of options.parts) Object.assign(figures, await measure(part, bench, options))
  console.log(JSON.stringify({ ...figures, ...describeMachine() }))
} finally {
  await bench.close()
}

async function measure(part: BenchOptions['parts'][number], on: Bench, { quick, concurrencies }: BenchOptions): Promise<Figures> {
  switch (part) {
    case 'create':
      return measureCreate(on, quick, concurrencies)
    case 'search':
      return measureSearch(on, quick)
    case 'dispatch':
      return benchDispatch(on)
    case 'end-to-end':
      return measureEndToEnd(on, quick)
    case 'overload':
      return measureOverload(on, quick)
    case 'parts':
      return measureParts(on, quick, concurrencies)
    case 'cost':
      return measureCost(on, quick)
  }
}

async function measureCreate(on: Bench, quick: boolean, concurrencies: readonly number[]): Promise<Figures> {
  const results: CreateResult[] = []
  for (const concurrency of concurrencies) {
    const result = await benchCreate(on, concurrency, quick ? 5000 : 15_000)
    console.log(`${describeCreate(result)}\n`)
    results.push(result)
  }
  const alone = results.find(({ concurrency }) => concurrency === 1)
  const many = results.find(({ concurrency }) => concurrency === 64)
  return {
    create_ratio: many && many.undelivered === 0 ? rounded(many.ratio) : 0,
    create_p50_ratio: rounded(alone?.p50Ratio ?? NaN),
    create_per_second: rounded(many?.ordersPerSecond ?? NaN),
    create_p50_ms: results.map(({ p50Ms }) => rounded(p50Ms)),
    create_p99_ms: results.map(({ p99Ms }) => rounded(p99Ms)),
    insert_one_per_second: rounded(many?.limitPerSecond ?? NaN),
  }
}

async function measureSearch(on: Bench, quick: boolean): Promise<Figures> {
  const result = await benchSearch(on, 64, quick ? 4000 : 12_000)
  console.log(`${describeSearch(result)}\n`)
  return {
    search_ratio: rounded(result.ratio),
    search_per_second: rounded(result.searchesPerSecond),
    search_p99_ms: rounded(result.p99Ms),
    find_one_per_second: rounded(result.limitPerSecond),
  }
}

async function measureEndToEnd(on: Bench, quick: boolean): Promise<Figures> {
  await warmUpPayments(on)
  const run = await runPaced(on, { perSecond: 50, durationMs: quick ? 8000 : 20_000, patienceMs: 10_000 })
  console.log(`end to end ${describePaced(run)}\n`)
  return {
    e2e_p50_ms: rounded(run.latencyMs.p50),
    e2e_p99_ms: rounded(run.latencyMs.p99),
    e2e_missing: run.settled.missing.length,
    e2e_highest_per_second: await highest(on, quick),
  }
}

async function highest(on: Bench, quick: boolean): Promise<number> {
  highestRate ??= await findHighestRate(on, quick ? 5000 : 10_000, (run) => {
    console.log(`${holds(run) ? 'holds' : 'does not hold'}: ${describePaced(run)}\n`)
  })
  return highestRate
}

async function measureOverload(on: Bench, quick: boolean): Promise<Figures> {
  const result = await benchOverload(on, 2 * Math.max(await highest(on, quick), 50), quick ? 15_000 : 60_000)
  console.log(`${describeOverload(result)}\n`)
  return {
    overload_lost: result.lost,
    overload_shed: result.shed,
    overload_rude: result.rude,
    overload_recovered_s: rounded(result.recoveredAfterMs / 1000),
    overload_p99_ms: rounded(result.p99Ms),
  }
}

async function measureParts(on: Bench, quick: boolean, concurrencies: readonly number[]): Promise<Figures> {
  const { creates, search, paced } = await benchParts(on, concurrencies, quick ? 5000 : 15_000)
  for (const result of creates) console.log(`parts: ${describeCreate(result)}\n`)
  console.log(`parts: ${describeSearch(search)}\n`)
  console.log(`parts: end to end ${describePaced(paced)}\n`)
  return {
    parts_create_ratio: rounded(creates.find(({ concurrency }) => concurrency === 64)?.ratio ?? NaN),
    parts_create_p50_ratio: rounded(creates.find(({ concurrency }) => concurrency === 1)?.p50Ratio ?? NaN),
    parts_search_ratio: rounded(search.ratio),
    parts_e2e_p50_ms: rounded(paced.latencyMs.p50),
    parts_e2e_p99_ms: rounded(paced.latencyMs.p99),
  }
}

async function measureCost(on: Bench, quick: boolean): Promise<Figures> {
  const result = await benchCost(on, [50, 20], quick ? 8000 : 25_000)
  console.log(`${describeCost(result)}\n`)
  return costFigures(result)
}
