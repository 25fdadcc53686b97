import fc from 'fast-check'
import { pooledRandomByte, pooledRandomBytes } from './random-bytes.ts'

test('no bytes are given out twice, and bytes that were given out do not change', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 8, max: 600 }), { minLength: 1, maxLength: 20 }), (counts) => {
      const given = counts.map(pooledRandomBytes)
      const then = given.map((bytes) => bytes.toString('hex'))
      expect(given.map(({ length }) => length)).toEqual(counts)
      // Eight equal bytes at two places prove a reuse: chance makes such a pair once in many years of tests.
      const pieces = then.flatMap((hex) => Array.from({ length: hex.length / 2 - 7 }, (_, at) => hex.slice(2 * at, 2 * at + 16)))
      expect(new Set(pieces).size).toBe(pieces.length)
      for (let bytes = 0; bytes < 5000; bytes++) pooledRandomByte()
      expect(given.map((bytes) => bytes.toString('hex'))).toEqual(then)
    }),
  )
})

test('every byte is equally likely', () => {
  const counts = new Uint32Array(256)
  for (let drawn = 0; drawn < 256_000; drawn++) {
    const byte = pooledRandomByte()
    counts[byte] = (counts[byte] ?? 0) + 1
  }
  // The expected count is 1,000 each; 8 standard deviations are 253.
  for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(253)
})

test('a request for more bytes than the pool holds is refused', () => {
  expect(pooledRandomBytes(4096)).toHaveLength(4096)
  expect(() => pooledRandomBytes(4097)).toThrow(RangeError)
})
