import fc from 'fast-check'
import { pooledRandomByte, pooledRandomBytes } from './random-bytes.ts'

test('nobody gets bytes that somebody else had, and what was given stays as it is', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 8, max: 4096 }), { minLength: 1, maxLength: 20 }), (counts) => {
      const given = counts.map(pooledRandomBytes)
      const then = given.map((bytes) => bytes.toString('hex'))
      expect(given.map(({ length }) => length)).toEqual(counts)
      // Eight bytes that come twice are the same ones: chance makes such a pair once in some hundred thousand years of tests.
      const pieces = then.flatMap((hex) => hex.match(/.{16}/gu) ?? [])
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
  // A thousand each, and 8 standard deviations are 253.
  for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(253)
})
