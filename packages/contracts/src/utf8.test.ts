import fc from 'fast-check'
import { ValidationFailed } from './errors.ts'
import { refuseHalfCharacters, utf8Text } from './utf8.ts'

// Proves: api/one-reader-of-bodies
test('text comes back as it was encoded, and a byte order mark is left out', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      fc.pre(text.isWellFormed() && !text.startsWith('\ufeff'))
      expect(utf8Text(Buffer.from(text))).toBe(text)
      expect(utf8Text(Buffer.from(`\ufeff${text}`))).toBe(text)
    }),
  )
})

// Proves: api/one-reader-of-bodies
test.each([
  ['Latin-1', Buffer.from('José', 'latin1')],
  ['UTF-16 with its mark', Buffer.from('\ufeffJosé', 'utf16le')],
  ['a character cut in two', Buffer.from('नी').subarray(0, -1)],
  ['a slash in two bytes', Buffer.from([0xc0, 0xaf])],
  ['half of a surrogate pair', Buffer.from([0xed, 0xa0, 0x80])],
])('%s is not UTF-8', (_name, bytes) => {
  expect(utf8Text(bytes)).toBeUndefined()
})

const fieldRefused = (text: string): string | undefined => {
  try {
    refuseHalfCharacters(text, JSON.parse(text))
    return undefined
  } catch (error) {
    if (error instanceof ValidationFailed) return error.errors[0]?.field
    throw error
  }
}

// Proves: api/one-reader-of-bodies
test.each([
  ['{"a":{"b":["x","\\ud800"]}}', '/a/b/1'],
  ['{"a":"\\uDC00\\ud83d"}', '/a'],
  ['["\\ud83d\\ude00","\\uDBFF"]', '/1'],
  ['{"\\ud800":1}', '/'],
  ['{"a":"\\ud83d\\ude00","b":"\\\\ud800"}', undefined],
])('%s: the field with half of a character is %s', (text, field) => {
  expect(fieldRefused(text)).toBe(field)
})

// Proves: api/one-reader-of-bodies
test('a text in very many lists is found, and the answer is as short as any', () => {
  const [open, close] = ['['.repeat(30_000), ']'.repeat(30_000)]
  expect(fieldRefused(`${open}"\\ud800"${close}`)).toMatch(/^(?:\/0){100}$/u)
  expect(fieldRefused(`{"${'abcdef'.repeat(10)}":{"${'b'.repeat(9000)}":{"c":"\\ud800"}}}`)).toBe(`/${'abcdef'.repeat(10)}/?/c`)
})

// Proves: api/one-reader-of-bodies
test.each(['4111111111111111', 'card_4111111111111111', 'asha@example.com'])('the name %s of a field is not repeated', (name) => {
  expect(fieldRefused(`{"${name}":["\\ud800"]}`)).toBe('/?/0')
})
