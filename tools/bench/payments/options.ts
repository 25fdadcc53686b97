/** What is measured unless parts are named. */
export const PARTS = ['create', 'search', 'dispatch', 'end-to-end', 'overload'] as const
/** Measured when they are named: they judge nothing of the gateway's speed, and take minutes. */
const FURTHER_PARTS = ['parts', 'cost'] as const
const ALL_PARTS = [...PARTS, ...FURTHER_PARTS] as const
export type Part = (typeof ALL_PARTS)[number]

export interface BenchOptions {
  readonly parts: readonly Part[]
  /** Shorter runs, for a look between two changes; the figures scatter more. */
  readonly quick: boolean
  /** Callers at once, of `create`. */
  readonly concurrencies: readonly number[]
}

export const CONCURRENCIES = [1, 16, 64] as const

/** `--only create,search`, `--concurrency 64` and `--quick`. Throws on anything else, with words for people. */
export function readOptions(args: readonly string[]): BenchOptions {
  let [parts, quick, concurrencies]: [readonly Part[], boolean, readonly number[]] = [PARTS, false, CONCURRENCIES]
  for (let index = 0; index < args.length; index++) {
    const argument = args[index]
    if (argument === '--quick') quick = true
    else if (argument === '--only') parts = (args[++index] ?? '').split(',').map(toPart)
    else if (argument === '--concurrency') concurrencies = (args[++index] ?? '').split(',').map(toConcurrency)
    else
      throw new Error(`"${argument ?? ''}" is not an option. There are: --quick, --concurrency 64, --only ${ALL_PARTS.join(',')}`)
  }
  return { parts, quick, concurrencies }
}

function toPart(name: string): Part {
  const part = ALL_PARTS.find((known) => known === name)
  if (!part) throw new Error(`"${name}" is not measured. There are: ${ALL_PARTS.join(', ')}`)
  return part
}

function toConcurrency(text: string): number {
  const concurrency = Number(text)
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > 256)
    throw new Error(`"${text}" is no number of callers. There are: 1 to 256, such as ${CONCURRENCIES.join(',')} for create`)
  return concurrency
}
