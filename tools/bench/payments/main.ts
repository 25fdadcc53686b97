/** `npm run bench`: what the payment path does, each figure beside what its parts alone can do, in one run. */
import { runCommand } from '@gateway-infra/system/command'
import { rounded, summarize } from '@gateway-tools/load/statistics'
import { describeMachine } from '@gateway-tools/load/machine'
import { benchCreate, benchSearch, warmUp, type CreateResult } from './create.ts'
import { cpuAtFifty, cpuAtFullLoad } from './cpu.ts'
import { findHighestRate, holds, lateMs, runPayments } from './end-to-end.ts'
import { explainHotQueries } from '../plans/hot-queries.ts'
import { benchWebhooks } from '../webhooks/main.ts'
import { benchMemory } from './memory.ts'
import { readOptions, type BenchOptions, type Part } from './options.ts'
import { compareWithParts } from './parts/parts.ts'
import { tell, withBench, type Bench } from './stack.ts'

type Figures = Record<string, unknown>

interface Run extends BenchOptions {
  readonly bench: Bench
  /** Found by `end-to-end` and doubled by `overload`, which finds it itself when it runs alone. */
  readonly highestRate: () => Promise<number>
  /** Compiles what orders alone do not run: payments, callbacks and second webhooks. */
  readonly warmPayments: () => Promise<unknown>
}

/** An event that has not arrived this long after the end is lost. */
const LOST_AFTER_MS = 60_000

async function measureAll(bench: Bench, options: BenchOptions): Promise<void> {
  let highest: Promise<number> | undefined
  let warm: Promise<unknown> | undefined
  const run = {
    ...options,
    bench,
    highestRate: () =>
      (highest ??= findHighestRate(bench, options.quick ? 5000 : 10_000, (run) =>
        tell(holds(run) ? 'holds' : 'does not hold', run),
      )),
    warmPayments: () => (warm ??= runPayments(bench, { perSecond: 60, durationMs: 30_000, patienceMs: 30_000 })),
  }
  console.log(`an order is ${await warmUp(bench)} bytes when it is stored\n`)
  const figures: Figures = {}
  for (const part of options.parts) Object.assign(figures, await MEASUREMENTS[part](run))
  console.log(JSON.stringify({ ...figures, ...(await describeMachine(bench.stack.mongo_url, bench.stack.amqp_url)) }))
}

const MEASUREMENTS: Readonly<Record<Part, (run: Run) => Promise<Figures>>> = {
  async create({ bench, concurrencies, quick, parts }) {
    if (parts.includes('parts')) return {}
    const results: CreateResult[] = []
    for (const concurrency of concurrencies) {
      const result = await benchCreate(bench, concurrency, quick ? 5000 : 15_000)
      tell('create', result)
      results.push(result)
    }
    const [alone, many] = [withCallers(results, 1), withCallers(results, 64)]
    return {
      create_ratio: many?.undelivered === 0 ? rounded(many.ratio) : 0,
      create_p50_ratio: rounded(alone?.p50Ratio ?? NaN),
      create_per_second: rounded(many?.perSecond ?? NaN),
      create_p50_ms: results.map(({ latencyMs }) => rounded(latencyMs.p50)),
      create_p99_ms: results.map(({ latencyMs }) => rounded(latencyMs.p99)),
      insert_one_per_second: rounded(many?.limitPerSecond ?? NaN),
    }
  },

  /** Creates at the gateway and at the bare parts, in turns. */
  parts: ({ bench, quick }) => compareWithParts(bench, quick ? { rounds: 3, durationMs: 3000 } : { rounds: 6, durationMs: 6000 }),

  async search({ bench, quick }) {
    const result = await benchSearch(bench, 64, quick ? 4000 : 12_000)
    tell('search', result)
    return {
      search_ratio: rounded(result.ratio),
      search_per_second: rounded(result.perSecond),
      search_p99_ms: rounded(result.latencyMs.p99),
      find_one_per_second: rounded(result.limitPerSecond),
    }
  },

  /** The short form of `bench:webhooks`, on the same database and broker. */
  async dispatch({ bench: { stack } }) {
    const found = await benchWebhooks({ mongoUrl: stack.mongo_url, amqpUrl: stack.amqp_url }, { quick: true })
    const { dispatch_ratio, dispatch_record_ratio, hang_throughput_ratio, hang_p99_ratio, lost, duplicates } = found
    return { dispatch_ratio, dispatch_record_ratio, hang_throughput_ratio, hang_p99_ratio, lost, duplicates }
  },

  async 'end-to-end'({ bench, quick, highestRate, warmPayments }) {
    await warmPayments()
    const run = await runPayments(bench, { perSecond: 50, durationMs: quick ? 8000 : 20_000, patienceMs: 10_000 })
    tell('end to end', run)
    return {
      e2e_p50_ms: rounded(run.latencyMs.p50),
      e2e_p99_ms: rounded(run.latencyMs.p99),
      e2e_missing: run.settled.missing.length,
      e2e_highest_per_second: await highestRate(),
    }
  },

  async overload({ bench, quick, highestRate }) {
    const perSecond = 2 * Math.max(await highestRate(), 50)
    const run = await runPayments(bench, { perSecond, durationMs: quick ? 15_000 : 60_000, patienceMs: LOST_AFTER_MS })
    tell('overload', run)
    return {
      overload_lost: run.settled.missing.length,
      overload_shed: run.load.shed,
      overload_rude: run.load.failed,
      overload_recovered_s: rounded(lateMs(run) / 1000),
      overload_p99_ms: rounded(summarize(run.load.latenciesMs).p99),
    }
  },

  /** Linux only, with database and broker as processes of the stack. */
  async cpu({ bench, quick, warmPayments }) {
    await warmPayments()
    const durationMs = quick ? 10_000 : 20_000
    return {
      cpu_ms_per_payment_50: rounded(await cpuAtFifty(bench, durationMs)),
      cpu_ms_per_payment_full: rounded(await cpuAtFullLoad(bench, durationMs)),
    }
  },

  /** Of the queries of the payment path, on what the warm-up has stored: which read without an index. */
  async plans({ bench, warmPayments }) {
    await warmPayments()
    const queries = await explainHotQueries(bench)
    for (const { name, usesIndex, indexes } of queries)
      console.log(`${name}: ${usesIndex ? indexes.join(', ') : 'READS EVERYTHING'}`)
    const without = queries.filter(({ usesIndex }) => !usesIndex).map(({ name }) => name)
    return { plans: queries.length, plans_without_index: without }
  },

  async memory({ bench, quick }) {
    const result = await benchMemory(bench, quick ? 10_000 : 100_000)
    tell('MiB of each process after each tenth of the payments', result.processes)
    return {
      memory_ratio: rounded(Math.max(...result.processes.map(({ ratio }) => ratio))),
      memory_max_mb: rounded(Math.max(...result.processes.map(({ maxMb }) => maxMb))),
      memory_payments: result.payments,
      memory_missing: result.missing,
    }
  },
}

function withCallers(results: readonly CreateResult[], callers: number): CreateResult | undefined {
  return results.find(({ concurrency }) => concurrency === callers)
}

/**
 * Measures a stack of its own. `BENCH_PROFILE` is a folder for a CPU profile of each service. The repeated enquiries after a payment's
 * end come when production's do, unless `FINAL_ENQUIRY_DELAYS` says otherwise.
 */
await runCommand((context, args) => {
  const options = readOptions(args)
  const { BENCH_PROFILE: folder, FINAL_ENQUIRY_DELAYS = '15m,24h' } = context.env
  const profiling = folder === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` }
  return withBench(context, { name: 'bench', env: { FINAL_ENQUIRY_DELAYS, ...profiling } }, async (bench) => {
    await measureAll(bench, options)
    return 0
  })
})
