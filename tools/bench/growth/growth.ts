import type { Bench } from '../payments/stack.ts'
import { settle } from '../payments/settle.ts'
import { summarize, type Summary } from '../payments/statistics.ts'
import type { Program } from '../payments/program.ts'
import { KINDS, type GrowthAnswer, type GrowthCommand, type Kind } from './load.ts'

/** One of the two stacks. */
export interface Sized {
  readonly name: 'small' | 'large'
  readonly bench: Bench
  readonly load: Program<GrowthCommand, GrowthAnswer>
}

export interface GrowthRow {
  readonly kind: Kind
  readonly concurrency: number
  readonly small: SizeFigures
  readonly large: SizeFigures
  /** p50 in the large one ÷ p50 in the small one. */
  readonly ratio: number
  /** The same, each p50 first divided by that of the database alone beside it: what the machine did meanwhile is in both. */
  readonly normalised: number
}

export interface SizeFigures {
  readonly latencyMs: Summary
  /** An `insertOne` or `findOne` in an unrelated small collection, as many at once. */
  readonly limitP50Ms: number
  readonly refused: number
  /** Events that did not come. */
  readonly missing: number
}

const CONCURRENCIES = [1, 16] as const
const BLOCK_MS = 2500
const LIMIT_MS = 700
const MAX_CALLS = 100_000
/** Of one stack, in the time that an order rests before a search of it is a first one again: each is to have as many orders. */
const SEARCH_BLOCKS_MEANWHILE = 3
const SETTLED_WITHIN_MS = 30_000

interface Cell {
  readonly latenciesMs: number[]
  readonly limitMs: number[]
  refused: number
  missing: number
}

/** Both stacks run at once on the same database and take turns in short blocks, so that what the machine does meanwhile is in both. */
export async function measureGrowth(
  sizes: readonly [small: Sized, large: Sized],
  { rounds, searchable }: { readonly rounds: number; readonly searchable: number },
  tell: (round: number) => void,
): Promise<GrowthRow[]> {
  const cases = CONCURRENCIES.flatMap((concurrency) => KINDS.map((kind) => ({ kind, concurrency })))
  const measured = cases.map((one) => ({ ...one, small: emptyCell(), large: emptyCell() }))
  const searches = Math.floor(searchable / SEARCH_BLOCKS_MEANWHILE)
  // The first round is not counted: what has not run a thousand times is not compiled yet.
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { kind, concurrency, ...cells }] of measured.entries()) {
      const inTurn = (round + index) % 2 === 0 ? sizes : sizes.toReversed()
      for (const sized of inTurn)
        await runBlock(
          sized,
          { kind, concurrency, maxCalls: kind === 'search' ? searches : MAX_CALLS },
          round === 0 ? emptyCell() : cells[sized.name],
        )
    }
    tell(round)
  }
  return measured.map(({ kind, concurrency, small, large }) => toRow(kind, concurrency, figuresOf(small), figuresOf(large)))
}

async function runBlock(
  { bench, load }: Sized,
  { kind, concurrency, maxCalls }: { kind: Kind; concurrency: number; maxCalls: number },
  cell: Cell,
): Promise<void> {
  const limitKind = kind === 'search' || kind === 'searchAgain' ? 'findOne' : 'insertOne'
  const limit = await bench.limit.call({ kind: limitKind, concurrency, durationMs: LIMIT_MS })
  await bench.receiver.call({ kind: 'take' })
  const run = await load.call({ kind: 'run', what: kind, concurrency, durationMs: BLOCK_MS, maxCalls })
  const settled = await settle(bench, run.eventIds, SETTLED_WITHIN_MS)
  for (const latencyMs of run.latenciesMs) cell.latenciesMs.push(latencyMs)
  for (const latencyMs of limit.latenciesMs) cell.limitMs.push(latencyMs)
  cell.refused += Object.values(run.refused).reduce((sum, count) => sum + count, 0)
  cell.missing += settled.missing.length
}

function emptyCell(): Cell {
  return { latenciesMs: [], limitMs: [], refused: 0, missing: 0 }
}

function figuresOf({ latenciesMs, limitMs, refused, missing }: Cell): SizeFigures {
  return { latencyMs: summarize(latenciesMs), limitP50Ms: summarize(limitMs).p50, refused, missing }
}

function toRow(kind: Kind, concurrency: number, small: SizeFigures, large: SizeFigures): GrowthRow {
  const ratio = large.latencyMs.p50 / small.latencyMs.p50
  return { kind, concurrency, small, large, ratio, normalised: ratio / (large.limitP50Ms / small.limitP50Ms) }
}
