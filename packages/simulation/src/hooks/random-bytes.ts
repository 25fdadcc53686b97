import { randomBytes } from 'node:crypto'

/** In place of the pool of random bytes, which processes and seeds would share. */
export function pooledRandomBytes(length: number): Buffer {
  return randomBytes(length)
}

export function pooledRandomByte(): number {
  return randomBytes(1).readUInt8()
}
