import { randomInt } from 'node:crypto'

export interface RestOptions {
  /** No number comes again sooner, in milliseconds. */
  readonly restMs: number
  readonly nowMs: () => number
}

/**
 * The whole numbers from `from` up to `to`, without that, each once; what comes next is drawn when it is asked for. After the last one
 * they come again in the same order, as far as they have rested; `undefined` while none has.
 */
export function inRandomOrder(from: number, to: number, { restMs, nowMs }: RestOptions): { next(): number | undefined } {
  const left = Uint32Array.from({ length: Math.max(to - from, 0) }, (_, index) => from + index)
  let count = left.length
  const resting: { readonly number: number; readonly sinceMs: number }[] = []

  function draw(): number | undefined {
    if (count === 0) return rested()
    const at = randomInt(count)
    count -= 1
    const [drawn, last] = [left[at] ?? 0, left[count] ?? 0]
    left[at] = last
    return drawn
  }

  function rested(): number | undefined {
    const [first] = resting
    if (!first || nowMs() - first.sinceMs < restMs) return undefined
    resting.shift()
    return first.number
  }

  return {
    next() {
      const number = draw()
      if (number !== undefined) resting.push({ number, sinceMs: nowMs() })
      return number
    },
  }
}
