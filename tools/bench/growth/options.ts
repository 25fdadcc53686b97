import { parseArgs } from 'node:util'
import { explainOptions, namesIn, wholeNumber } from '@gateway-tools/load/options'

export const PARTS = ['growth', 'memory', 'plans'] as const

const FULL = { small: 10_000, large: 1_000_000, payments: 100_000, rounds: 5 }
const QUICK = { small: 5000, large: 50_000, payments: 10_000, rounds: 2 }
const text = { type: 'string' } as const
const OPTIONS = { quick: { type: 'boolean' }, only: text, small: text, large: text, payments: text, rounds: text } as const

/**
 * `--quick`, `--only growth,plans`, `--large 200000` and so on. `small` and `large` are the transactions stored in the two stacks,
 * `payments` are those of the memory part.
 */
export function readOptions(args: readonly string[]): typeof FULL & { readonly parts: readonly (typeof PARTS)[number][] } {
  const known = `--quick, --only ${PARTS.join(',')}, --${Object.keys(FULL).join(', --')} (1 or more)`
  return explainOptions(known, () => {
    const { quick, only, ...given } = parseArgs({ args: [...args], options: OPTIONS }).values
    const numbers = Object.entries(given).map(([name, number]) => [name, wholeNumber(number)] as const)
    return { ...(quick === true ? QUICK : FULL), parts: namesIn(only ?? PARTS.join(','), PARTS), ...Object.fromEntries(numbers) }
  })
}
