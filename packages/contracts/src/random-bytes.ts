import { randomFillSync } from 'node:crypto'

/** Random bytes are requested 4096 at a time: a system call for each id costs more than the rest of making it. */
const pool = Buffer.alloc(4096)
let used = pool.length

/** Random bytes as good as the system's, for ids and nonces of the payment path. Throws `RangeError` for more than 4096. */
export function pooledRandomBytes(count: number): Buffer {
  const at = take(count)
  return Buffer.from(pool.subarray(at, at + count))
}

/** From 0 to 255, each equally likely. */
export function pooledRandomByte(): number {
  return pool.readUInt8(take(1))
}

/** The offset of `count` bytes that were not given out before. */
function take(count: number): number {
  if (count > pool.length) throw new RangeError(`at most ${pool.length} random bytes at once`)
  if (used + count > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += count
  return used - count
}
