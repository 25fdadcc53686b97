import { untilSettled } from '@gateway-tools/load/receiver'
import type { LoadProgram } from '@gateway-tools/load/serve-load'
import { sum, summarize } from '@gateway-tools/load/statistics'
import { eventIds, type Bench } from '../payments/stack.ts'
import { KINDS, type GrowthSetup, type Kind } from './load.ts'

/** One of the two stacks. */
export interface Sized {
  readonly name: 'small' | 'large'
  readonly bench: Bench
  readonly load: LoadProgram<GrowthSetup>
}

export type GrowthRow = Awaited<ReturnType<typeof measureGrowth>>[number]
export type SizeFigures = ReturnType<typeof figuresOf>

const CONCURRENCIES = [1, 16] as const
const BLOCK_MS = 2500
const LIMIT_MS = 700
const MAX_CALLS = 100_000
/** Blocks of one stack in which the orders of one first search rest: each block gets an equal share of the orders. */
const SEARCH_BLOCKS_MEANWHILE = 3
const SETTLED_WITHIN_MS = 30_000

/** One short run on one stack. */
type Block = Awaited<ReturnType<typeof runBlock>>

/**
 * Both stacks run at once on the same database and take turns in short blocks, so both meet the same machine. `ratio` is the p50 in
 * the large one ÷ that in the small one; `normalised` is the same, with each p50 first divided by that of the database alone.
 */
export async function measureGrowth(
  sizes: readonly [small: Sized, large: Sized],
  { rounds, searchable }: { readonly rounds: number; readonly searchable: number },
  tell: (round: number) => void,
) {
  const cases = CONCURRENCIES.flatMap((concurrency) => KINDS.map((kind) => ({ kind, concurrency })))
  const measured = cases.map((one) => ({ ...one, small: [] as Block[], large: [] as Block[] }))
  const searches = Math.floor(searchable / SEARCH_BLOCKS_MEANWHILE)
  // The first round does not count: it compiles the code.
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { kind, concurrency, ...blocks }] of measured.entries()) {
      const run = { kind, concurrency, maxCalls: kind === 'search' ? searches : MAX_CALLS }
      for (const sized of (round + index) % 2 === 0 ? sizes : sizes.toReversed()) {
        const block = await runBlock(sized, run)
        if (round > 0) blocks[sized.name].push(block)
      }
    }
    tell(round)
  }
  return measured.map(({ kind, concurrency, ...blocks }) => {
    const [small, large] = [figuresOf(blocks.small), figuresOf(blocks.large)]
    const ratio = large.latencyMs.p50 / small.latencyMs.p50
    return { kind, concurrency, small, large, ratio, normalised: ratio / (large.limitP50Ms / small.limitP50Ms) }
  })
}

async function runBlock(
  { bench, load }: Sized,
  { kind, concurrency, maxCalls }: { kind: Kind; concurrency: number; maxCalls: number },
) {
  const limitKind = kind === 'search' || kind === 'searchAgain' ? 'findOne' : 'insertOne'
  const limit = await bench.limit.call(limitKind, { concurrency, durationMs: LIMIT_MS })
  await bench.receiver.call('take')
  const run = await load.call('callers', kind, { concurrency, durationMs: BLOCK_MS, maxCalls })
  const expected = [...eventIds(run.transactionIds, 1), ...eventIds(run.paidIds, 2)]
  const settled = await untilSettled(bench.receiver, expected, SETTLED_WITHIN_MS)
  const [refused, missing] = [run.shed + run.failed, settled.missing.length]
  return { latenciesMs: run.latenciesMs, limitMs: limit.latenciesMs, refused, missing }
}

/** `limitP50Ms`: of as many `insertOne` or `findOne` at once in an unrelated small collection. `missing`: events that did not arrive. */
function figuresOf(blocks: readonly Block[]) {
  return {
    latencyMs: summarize(blocks.flatMap(({ latenciesMs }) => latenciesMs)),
    limitP50Ms: summarize(blocks.flatMap(({ limitMs }) => limitMs)).p50,
    refused: sum(blocks.map(({ refused }) => refused)),
    missing: sum(blocks.map(({ missing }) => missing)),
  }
}
