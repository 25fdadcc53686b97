import fc from 'fast-check'
import {
  dueKeyNumber,
  type KeyAge,
  INTERNAL_TOKEN_MAX_SECONDS,
  KEEP_REPLACED_MS,
  PUBLISH_AHEAD_MS,
  publishedKeys,
  signingKeyOf,
} from './signing-keys.ts'

const at = (ms: number) => new Date(1_800_000_000_000 + ms)
const key = (_id: number, createdMs: number) => ({ _id, created_at: at(createdMs) })
const DAY_MS = 86_400_000

test('the first key signs at once, a later one only after it was published long enough', () => {
  const [first, second] = [key(1, 0), key(2, DAY_MS)]
  expect(signingKeyOf<KeyAge>([], at(0))).toBeUndefined()
  expect(signingKeyOf([first], at(0))).toBe(first)
  expect(signingKeyOf([second, first], at(DAY_MS + PUBLISH_AHEAD_MS - 1))).toBe(first)
  expect(signingKeyOf([second, first], at(DAY_MS + PUBLISH_AHEAD_MS))).toBe(second)
})

test('a new key is due when there is no key, and when the newest is old enough', () => {
  expect(dueKeyNumber([], at(0), DAY_MS)).toBe(1)
  expect(dueKeyNumber([key(1, 0)], at(DAY_MS - 1), DAY_MS)).toBeUndefined()
  expect(dueKeyNumber([key(2, 0), key(1, -DAY_MS)], at(DAY_MS), DAY_MS)).toBe(3)
})

test('a replaced key is published until its last token has expired', () => {
  const keys = [key(1, 0), key(2, DAY_MS)]
  expect(publishedKeys(keys, at(DAY_MS + PUBLISH_AHEAD_MS + KEEP_REPLACED_MS - 1))).toHaveLength(2)
  expect(publishedKeys(keys, at(DAY_MS + PUBLISH_AHEAD_MS + KEEP_REPLACED_MS))).toEqual([keys[1]])
})

// Proves: api/signing-keys-rotate
test('for any key ages, every token that is still valid was signed with a published key', () => {
  const gaps = fc.array(fc.integer({ min: 3_600_000, max: 40 * DAY_MS }), { minLength: 1, maxLength: 5 })
  fc.assert(
    fc.property(gaps, fc.integer({ min: 0, max: 100 * DAY_MS }), (gapsMs, signedMs) => {
      const createdMs = gapsMs.map((_gap, index) => gapsMs.slice(0, index + 1).reduce((sum, gapMs) => sum + gapMs, 0))
      const keys = [0, ...createdMs].map((ms, index) => key(index + 1, ms))
      const keysThen = keys.filter(({ created_at }) => created_at <= at(signedMs))
      const signer = signingKeyOf(keysThen, at(signedMs))
      const verifiedAt = at(signedMs + INTERNAL_TOKEN_MAX_SECONDS * 1000)
      const keysLater = keys.filter(({ created_at }) => created_at <= verifiedAt)
      expect(publishedKeys(keysLater, verifiedAt)).toContain(signer)
    }),
  )
})
