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

/** `--quick`, `--only growth,plans`, `--large 200000` and so on. Throws on anything else, with words for people. */
export function readOptions(args: readonly string[]): GrowthOptions {
  let options = args.includes('--quick') ? QUICK : FULL
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] ?? ''
    if (argument === '--quick') continue
    const value = args[++index] ?? ''
    const number = NUMBERS.find((name) => argument === `--${name}`)
    if (number) options = { ...options, [number]: toNumber(argument, value) }
    else if (argument === '--only') options = { ...options, parts: value.split(',').map(toPart) }
    else
      throw new Error(`"${argument}" is not an option. There are: --quick, --only ${PARTS.join(',')}, --${NUMBERS.join(', --')}`)
  }
  return options
}

function toPart(name: string): Part {
  const part = PARTS.find((known) => known === name)
  if (!part) throw new Error(`"${name}" is not measured. There are: ${PARTS.join(', ')}`)
  return part
}

function toNumber(option: string, text: string): number {
  const number = Number(text)
  if (text === '' || !Number.isInteger(number) || number < 1) throw new Error(`${option} takes a number. There are: 1 and more`)
  return number
}
