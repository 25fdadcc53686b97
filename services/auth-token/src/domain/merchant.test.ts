import fc from 'fast-check'
import { isKeyIdOf } from '@gateway/contracts'
import { keyIdFrom } from './merchant.ts'

test('a key id names its environment, and has no run of digits that could look like a card number', () => {
  const random = fc.uint8Array({ minLength: 12, maxLength: 12 })
  fc.assert(
    fc.property(random, fc.constantFrom('sandbox', 'production'), (bytes, environment) => {
      const keyId = keyIdFrom(environment, Buffer.from(bytes))
      expect(isKeyIdOf(environment, keyId)).toBe(true)
      expect(keyId).not.toMatch(/\d{9}/u)
    }),
  )
  expect(keyIdFrom('sandbox', Buffer.alloc(12, 0x11))).not.toMatch(/\d{9}/u)
})
