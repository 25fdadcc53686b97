import { parseArgs } from 'node:util'

/** Measured unless parts are named. */
export const PARTS = ['create', 'search', 'dispatch', 'end-to-end', 'overload'] as const
/** `parts` is measured only when it is named: it does not measure the gateway. */
const ALL_PARTS = [...PARTS, 'parts'] as const
export type Part = (typeof ALL_PARTS)[number]

export interface BenchOptions {
  readonly parts: readonly Part[]
  /** Shorter runs, for a look between two changes; the figures scatter more. */
  readonly quick: boolean
  /** Callers at once, of `create`. */
  readonly concurrencies: readonly number[]
}

export const CONCURRENCIES = [1, 16, 64] as const
const MAX_CONCURRENCY = 256

/** `--only create,search`, `--concurrency 64` and `--quick`. Throws on anything else and names what there is. */
export function readOptions(args: readonly string[]): BenchOptions {
  try {
    const options = { only: { type: 'string' }, concurrency: { type: 'string' }, quick: { type: 'boolean' } } as const
    const { only, concurrency, quick = false } = parseArgs({ args: [...args], options }).values
    const concurrencies = concurrency?.split(',').map(toConcurrency) ?? CONCURRENCIES
    return { parts: only?.split(',').map(toPart) ?? PARTS, quick, concurrencies }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(
      `${reason}\nThere are: --quick, --concurrency ${CONCURRENCIES.join(',')} (1 to ${MAX_CONCURRENCY}), --only ${ALL_PARTS.join(',')}`,
      { cause: error },
    )
  }
}

function toPart(name: string): Part {
  const part = ALL_PARTS.find((known) => known === name)
  if (!part) throw new Error(`"${name}" is not measured.`)
  return part
}

function toConcurrency(text: string): number {
  const concurrency = Number(text)
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > MAX_CONCURRENCY)
    throw new Error(`"${text}" is not a number of callers.`)
  return concurrency
}
