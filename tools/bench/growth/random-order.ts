import { randomInt } from 'node:crypto'

export interface RestOptions {
  /** A number does not come again sooner than this, in milliseconds. */
  readonly restMs: number
  readonly nowMs: () => number
}

/**
 * Draws the whole numbers from `from` to `to - 1`, each once, in random order. Then the same numbers come again in the same order, each
 * after its rest; `undefined` while none has rested.
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
