import fc from 'fast-check'
import { listOrdersQuery } from './http/list-orders.ts'
import { listDeliveriesQuery, recoverDeliveriesRequest } from './http/webhooks.ts'
import { AUDIT_CURSOR_PATTERN, DELIVERY_CURSOR_PATTERN } from './cursor.ts'

const cursorOf = (ms: number, id: string): string => Buffer.from(`${ms}/${id}`).toString('base64url')
const times = fc.integer({ min: 1_000_000_000_000, max: 9_999_999_999_999 })
const hex = fc.string({ unit: fc.constantFrom(...('0123456789abcdef'.match(/./gu) ?? [])), minLength: 24, maxLength: 24 })
const printable = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 1,
  maxLength: 170,
})

// Proves: api/refusals-are-described
test.each<[string, string, fc.Arbitrary<string>, RegExp]>([
  ['delivery', DELIVERY_CURSOR_PATTERN, printable, /^\d{13}\/[\x20-\x7f]{1,200}$/u],
  ['audit', AUDIT_CURSOR_PATTERN, hex, /^\d{13}\/[0-9a-f]{24}$/u],
])('every %s cursor matches its pattern, and what matches is such a cursor', (_name, pattern, ids, decoded) => {
  const regex = new RegExp(pattern, 'u')
  fc.assert(fc.property(times, ids, (ms, id) => regex.test(cursorOf(ms, id))))
  const matching = fc.stringMatching(new RegExp(pattern))
  fc.assert(fc.property(matching, (cursor) => decoded.test(Buffer.from(cursor, 'base64url').toString())))
})

test.each(['', '0', 'cursor', cursorOf(1, 'x'), `${cursorOf(1_700_000_000_000, 'a'.repeat(24))}A`])(
  '"%s" is no cursor',
  (text) => {
    expect(new RegExp(AUDIT_CURSOR_PATTERN, 'u').test(text)).toBe(false)
    if (text.length < 40) expect(new RegExp(DELIVERY_CURSOR_PATTERN, 'u').test(text)).toBe(false)
  },
)

// Proves: api/refusals-are-described
test('a cursor whose bytes look like a card number is accepted', () => {
  const cursor = Buffer.from('01K9Z8Y7X6W5V4U3T2S1R0Q9P8/5184000000001/4111111111111111').toString('base64url')
  expect(listOrdersQuery.parse({ cursor })).toEqual({ cursor })
  const delivery = cursorOf(1_700_000_000_000, '4111111111111111')
  expect(listDeliveriesQuery.parse({ cursor: delivery })).toEqual({ cursor: delivery })
  const recovery = { since: '2026-11-21T10:00:00Z', to: 'original', cursor: delivery } as const
  expect(recoverDeliveriesRequest.parse(recovery)).toEqual(recovery)
})
