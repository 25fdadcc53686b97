import fc from 'fast-check'
import { isPlaceholder, isTyped } from './source.ts'

test.each([
  ['one byte', Buffer.alloc(32)],
  ['another byte', Buffer.alloc(32, 255)],
  ['counted up', Buffer.from(Array.from({ length: 32 }, (_, index) => index))],
  ['counted down', Buffer.from(Array.from({ length: 32 }, (_, index) => 255 - index))],
  ['words', Buffer.from('correct horse battery staple now')],
  ['digits of hexadecimal', Buffer.from('9f86d081884c7d659a2feaa0c55ad015')],
])('a key of %s was typed', (_what, bytes) => {
  expect(isTyped(bytes)).toBe(true)
})

test.each([
  'x'.repeat(32),
  'changeme-changeme-changeme-changeme',
  'my-super-secret-token-for-production',
  'CHANGE_ME_BEFORE_YOU_GO_LIVE_1234',
])('%s is a placeholder', (text) => {
  expect(isPlaceholder(text)).toBe(true)
})

/** Bytes as a generator draws them: without fast-check's liking for the ends of the range. */
const drawn = (length: number) => fc.noBias(fc.uint8Array({ minLength: length, maxLength: length }))

test('random bytes never count as typed, nor their text as a placeholder', () => {
  fc.assert(
    fc.property(fc.constantFrom(24, 32).chain(drawn), (bytes) => {
      expect(isTyped(bytes)).toBe(false)
      for (const encoding of ['base64', 'base64url', 'hex'] as const)
        expect(isPlaceholder(Buffer.from(bytes).toString(encoding))).toBe(false)
    }),
  )
})
