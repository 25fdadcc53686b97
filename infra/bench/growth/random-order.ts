import { randomInt } from 'node:crypto'

/** The whole numbers from `from` up to `to`, without that, each once; what comes next is drawn when it is asked for. */
export function inRandomOrder(from: number, to: number): { next(): number | undefined } {
  const left = Uint32Array.from({ length: Math.max(to - from, 0) }, (_, index) => from + index)
  let count = left.length
  return {
    next() {
      if (count === 0) return undefined
      const at = randomInt(count)
      count -= 1
      const [drawn, last] = [left[at] ?? 0, left[count] ?? 0]
      left[at] = last
      return drawn
    },
  }
}
