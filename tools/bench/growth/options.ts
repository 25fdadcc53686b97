import { parseArgs } from 'node:util'

export const PARTS = ['growth', 'memory', 'plans'] as const
export type Part = (typeof PARTS)[number]

export interface GrowthOptions {
  readonly parts: readonly Part[]
  /** Transactions stored in the smaller and in the larger of the two stacks. */
  readonly small: number
  readonly large: number
  /** Of the memory part. */
  readonly payments: number
  readonly rounds: number
}

const FULL: GrowthOptions = { parts: PARTS, small: 10_000, large: 1_000_000, payments: 100_000, rounds: 5 }
const QUICK: GrowthOptions = { parts: PARTS, small: 5000, large: 50_000, payments: 10_000, rounds: 2 }
const NUMBERS = ['small', 'large', 'payments', 'rounds'] as const
const text = { type: 'string' } as const

/** `--quick`, `--only growth,plans`, `--large 200000` and so on. Throws on anything else and names what there is. */
export function readOptions(args: readonly string[]): GrowthOptions {
  try {
    const options = { quick: { type: 'boolean' }, only: text, small: text, large: text, payments: text, rounds: text } as const
    const { quick, only, ...numbers } = parseArgs({ args: [...args], options }).values
    const defaults = quick === true ? QUICK : FULL
    const chosen: GrowthOptions = { ...defaults, parts: only?.split(',').map(toPart) ?? defaults.parts }
    return NUMBERS.reduce(
      (all, name) => (numbers[name] === undefined ? all : { ...all, [name]: toNumber(name, numbers[name]) }),
      chosen,
    )
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const known = `There are: --quick, --only ${PARTS.join(',')}, --${NUMBERS.join(', --')} (1 or more)`
    throw new Error(`${reason}\n${known}`, { cause: error })
  }
}

function toPart(name: string): Part {
  const part = PARTS.find((known) => known === name)
  if (!part) throw new Error(`"${name}" is not measured.`)
  return part
}

function toNumber(option: string, given: string): number {
  const number = Number(given)
  if (given === '' || !Number.isInteger(number) || number < 1) throw new Error(`--${option} takes a whole number.`)
  return number
}
