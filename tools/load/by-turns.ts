import { median } from './statistics.ts'

const ROUNDS = 5

/**
 * Measures without something and beside it, by turns, so that a machine that grows busier favours neither side. `ratio` is the
 * median beside it ÷ the median without. `begin` resolves to the function that ends it.
 */
export async function byTurns(measure: () => Promise<number>, begin: () => Promise<() => unknown>) {
  const [without, beside]: [number[], number[]] = [[], []]
  for (let round = 1; round <= ROUNDS; round++) {
    without.push(await measure())
    const end = await begin()
    beside.push(await measure())
    await end()
  }
  return { ratio: median(beside) / median(without), without, beside }
}
