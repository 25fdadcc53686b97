import { createHash } from 'node:crypto'

/** A stream of random numbers that depends on its seed and name alone, so that each use can have a stream of its own. */
export interface Random {
  /** A number from 0 up to but not including 1. */
  next(): number
  /** A whole number from 0 to `below` - 1. */
  whole(below: number): number
  /** A whole number from `from` to `to`, both included. */
  between(from: number, to: number): number
  pick<T>(values: readonly T[]): T
}

/** mulberry32, seeded with a digest of the name: small, fast, and the same on every machine. */
export function randomStream(seed: number, name: string): Random {
  let state = createHash('sha256').update(`${seed}/${name}`).digest().readUInt32LE(0)
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const whole = (below: number): number => Math.floor(next() * below)
  return {
    next,
    whole,
    between: (from, to) => from + whole(to - from + 1),
    pick(values) {
      const picked = values[whole(values.length)]
      if (picked === undefined) throw new Error('there is nothing to pick from')
      return picked
    },
  }
}
