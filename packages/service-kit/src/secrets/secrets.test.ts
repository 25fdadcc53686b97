import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { createSealer, keyIdOf, parseMasterKeys } from './secrets.ts'

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]
const before = createSealer(new Map([['k1', oldKey]]))
const rotated = createSealer(
  new Map([
    ['k2', newKey],
    ['k1', oldKey],
  ]),
)

// Proves: api/secrets-sealed-with-key-id
test('sealed text can be opened, also after the key rotated', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const plain = Buffer.from(bytes)
      expect(rotated.open(before.seal(plain, 'credential/1'), 'credential/1')).toEqual(plain)
      expect(rotated.open(rotated.seal(plain, 'credential/1'), 'credential/1')).toEqual(plain)
    }),
  )
})

// Proves: api/secrets-sealed-with-key-id
test('the newest key seals, and an old replica cannot open it', () => {
  const sealed = rotated.seal(Buffer.from('secret'), 'a')
  expect(sealed).toMatch(/^v1\.k2\./u)
  expect(() => before.open(sealed, 'a')).toThrow(/no master key "k2"/u)
})

test('a changed text, another context and a short tag do not open', () => {
  const sealed = before.seal(Buffer.from('secret'), 'credential/1')
  expect(() => before.open(sealed, 'credential/2')).toThrow()
  expect(() => before.open(`${sealed.slice(0, -4)}AAAA`, 'credential/1')).toThrow()
  expect(() => before.open(sealed.slice(0, 30), 'credential/1')).toThrow()
})

test.each(['', 'k1', 'k1:short', `k1:${'!'.repeat(43)}`, `:${oldKey.toString('base64')}`])('%j is no list of keys', (text) => {
  expect(() => parseMasterKeys(text)).toThrow(/master keys are/u)
})

test('one id twice is refused: the key behind the first would be lost', () => {
  const [one, other] = [oldKey, newKey].map((key) => `k1:${key.toString('base64')}`)
  expect(() => parseMasterKeys(`${one},${other}`)).toThrow(/distinct ids/u)
})

test('sealed text names its key; other text names none', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 50 }), fc.string(), (bytes, text) => {
      expect(keyIdOf(before.seal(Buffer.from(bytes), 'a'))).toBe('k1')
      expect(keyIdOf(text)).toBeUndefined()
    }),
  )
})

test('keys are read in order', () => {
  const text = `k2:${newKey.toString('base64')}, k1:${oldKey.toString('base64url')}`
  expect([...parseMasterKeys(text)]).toEqual([
    ['k2', newKey],
    ['k1', oldKey],
  ])
})
