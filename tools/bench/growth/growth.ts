import { untilSettled } from '@gateway-tools/load/receiver'
import type { LoadProgram } from '@gateway-tools/load/serve-load'
import { summarize, type Summary } from '@gateway-tools/load/statistics'
import { eventIds, type Bench } from '../payments/stack.ts'
import { KINDS, type GrowthSetup, type Kind } from './load.ts'

/** One of the two stacks. */
export interface Sized {
  readonly name: 'small' | 'large'
  readonly bench: Bench
  readonly load: LoadProgram<GrowthSetup>
}

export interface GrowthRow {
  readonly kind: Kind
  readonly concurrency: number
  readonly small: SizeFigures
  readonly large: SizeFigures
  /** p50 in the large one ÷ p50 in the small one. */
  readonly ratio: number
  /** The same, with each p50 first divided by that of the database alone: a machine that slows down slows both. */
  readonly normalised: number
}

export interface SizeFigures {
  readonly latencyMs: Summary
  /** p50 of as many `insertOne` or `findOne` at once in an unrelated small collection. */
  readonly limitP50Ms: number
  readonly refused: number
  /** Events that did not arrive. */
  readonly missing: number
}

const CONCURRENCIES = [1, 16] as const
const BLOCK_MS = 2500
const LIMIT_MS = 700
const MAX_CALLS = 100_000
/** Blocks of one stack in which the orders of one first search rest: each block gets an equal share of the orders. */
const SEARCH_BLOCKS_MEANWHILE = 3
const SETTLED_WITHIN_MS = 30_000

interface Cell {
  readonly latenciesMs: number[]
  readonly limitMs: number[]
  refused: number
  missing: number
}

/** Both stacks run at once on the same database and take turns in short blocks, so both meet the same machine. */
export async function measureGrowth(
  sizes: readonly [small: Sized, large: Sized],
  { rounds, searchable }: { readonly rounds: number; readonly searchable: number },
  tell: (round: number) => void,
): Promise<GrowthRow[]> {
  const cases = CONCURRENCIES.flatMap((concurrency) => KINDS.map((kind) => ({ kind, concurrency })))
  const measured = cases.map((one) => ({ ...one, small: emptyCell(), large: emptyCell() }))
  const searches = Math.floor(searchable / SEARCH_BLOCKS_MEANWHILE)
  // The first round does not count: it compiles the code.
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { kind, concurrency, ...cells }] of measured.entries()) {
      const maxCalls = kind === 'search' ? searches : MAX_CALLS
      const inTurn = (round + index) % 2 === 0 ? sizes : sizes.toReversed()
      for (const sized of inTurn)
        await runBlock(sized, { kind, concurrency, maxCalls }, round === 0 ? emptyCell() : cells[sized.name])
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
  await bench.receiver.take()
  const run = await load.call({ kind: 'callers', what: kind, concurrency, durationMs: BLOCK_MS, maxCalls })
  const expected = [...eventIds(run.transactionIds, 1), ...eventIds(run.paidIds, 2)]
  const settled = await untilSettled(bench.receiver, expected, SETTLED_WITHIN_MS)
  for (const latencyMs of run.latenciesMs) cell.latenciesMs.push(latencyMs)
  for (const latencyMs of limit.latenciesMs) cell.limitMs.push(latencyMs)
  cell.refused += run.shed + run.failed
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
