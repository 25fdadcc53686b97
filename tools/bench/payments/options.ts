import { parseArgs } from 'node:util'
import { explainOptions, wholeNumber } from '@gateway-tools/load/options'

/** Measured unless parts are named. */
export const PARTS = ['create', 'search', 'dispatch', 'end-to-end', 'cpu', 'overload'] as const
/**
 * Measured only when they are named: `parts` measures what a gateway is compared with, `plans` measures nothing, and `memory` takes
 * ten minutes.
 */
const ALL_PARTS = [...PARTS, 'parts', 'plans', 'memory'] as const
export type Part = (typeof ALL_PARTS)[number]

export type BenchOptions = ReturnType<typeof readOptions>

/** Callers at once, of `create`. */
export const CONCURRENCIES = [1, 16, 64]
const MAX_CONCURRENCY = 256
const OPTIONS = { only: { type: 'string' }, concurrency: { type: 'string' }, quick: { type: 'boolean' } } as const

/** Reads `--only create,search`, `--concurrency 64`, and `--quick` (shorter runs with less exact figures). */
export function readOptions(args: readonly string[]) {
  const known = `--quick, --concurrency ${CONCURRENCIES.join(',')} (1 to ${MAX_CONCURRENCY}), --only ${ALL_PARTS.join(',')}`
  return explainOptions(known, () => {
    const { only, concurrency, quick = false } = parseArgs({ args: [...args], options: OPTIONS }).values
    const concurrencies = concurrency?.split(',').map((callers) => wholeNumber(callers, MAX_CONCURRENCY))
    const parts: readonly Part[] = only === undefined ? PARTS : partsIn(only)
    return { parts, quick, concurrencies: concurrencies ?? CONCURRENCIES }
  })
}

/** The parts in `create,search`. */
function partsIn(given: string): Part[] {
  return given.split(',').map((name) => {
    const part = ALL_PARTS.find((one) => one === name)
    if (!part) throw new Error(`"${name}" is not measured.`)
    return part
  })
}
