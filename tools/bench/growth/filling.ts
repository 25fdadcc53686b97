import type { Bench } from '../payments/stack.ts'
import { openProgram } from '../payments/program.ts'
import type { FillAnswer, FillCommand } from './fill.ts'
import { FILLED } from './filled.ts'
import { withoutIndexes } from './without-indexes.ts'

export interface Filling {
  readonly payments: number
  /** By `performance.now()`: whatever is stored then is what there is. */
  readonly endsAtMs: number
  readonly tell: (what: string) => void
}

const PROGRAMS = 2
const PAYMENTS_PER_COMMAND = 10_000
const TOLD_EACH = 100_000

/** Fills the databases of one stack by several programs; resolves with how many payments are stored, which are the first ones. */
export async function fill(bench: Bench, { payments, endsAtMs, tell }: Filling): Promise<number> {
  const programs = Array.from({ length: PROGRAMS }, () => openProgram<FillCommand, FillAnswer>(`${import.meta.dirname}/fill.ts`))
  const merchants = bench.merchants.map(({ merchant_id: id, name, vpa, mcc }) => ({
    id,
    name,
    vpa,
    mcc,
    webhookUrl: bench.webhookUrl,
  }))
  const shared = { mongoUrl: bench.stack.mongo_url, databasePrefix: bench.databasePrefix, merchants, total: payments }
  let [next, stored] = [0, 0]
  const fillAll = async (): Promise<unknown> =>
    Promise.all(
      programs.map(async (program) => {
        while (next < payments && performance.now() < endsAtMs) {
          const from = next
          next = Math.min(from + PAYMENTS_PER_COMMAND, payments)
          const filled = await program.call({ ...shared, from, to: next })
          stored += filled.stored
          if (stored % TOLD_EACH === 0) tell(`${stored} filled in`)
        }
      }),
    )
  const names = FILLED.map(([database, collection]) => [bench.databasePrefix + database, collection] as const)
  try {
    await withoutIndexes({ mongoUrl: bench.stack.mongo_url, names, tell }, fillAll)
  } finally {
    await Promise.all(programs.map((program) => program.close()))
  }
  return stored
}
