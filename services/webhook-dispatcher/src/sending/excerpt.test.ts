import fc from 'fast-check'
import { excerptOf } from './excerpt.ts'

test('an excerpt is printable and at most 1 KiB, for any answer', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5000 }), (bytes) => {
      const excerpt = excerptOf(Buffer.from(bytes)) ?? ''
      expect(Buffer.byteLength(excerpt)).toBeLessThanOrEqual(1024)
      expect(excerpt).not.toMatch(/[\p{Cc}\uFFFD]/u)
    }),
  )
})

test('text stays as it is; an empty answer is null', () => {
  expect(excerptOf(Buffer.from('order नहीं found'))).toBe('order नहीं found')
  expect(excerptOf(Buffer.alloc(0))).toBeNull()
  expect(excerptOf(Buffer.from('\u0000\u0001'))).toBeNull()
})
