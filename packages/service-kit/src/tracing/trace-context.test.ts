import { assert, boolean, constantFrom, property, string, tuple } from 'fast-check'
import { formatTraceparent, parseTraceparent, traceIdOf } from './trace-context.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

test('the example of the specification is read', () => {
  const context = { traceId: TRACE, spanId: SPAN, traceFlags: 1 }
  expect(parseTraceparent(`00-${TRACE}-${SPAN}-01`)).toEqual(context)
  expect(traceIdOf(formatTraceparent(context))).toBe(TRACE)
})

test.each([
  ['nothing', undefined],
  ['two headers, joined', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
  ['capitals', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
  ['a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
  ['a span id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ['another version', `01-${TRACE}-${SPAN}-01`],
  ['something more', `00-${TRACE}-${SPAN}-01-x`],
  ['bytes', Buffer.from(`00-${TRACE}-${SPAN}-01`)],
])('%s is no trace', (_name, text) => {
  expect(parseTraceparent(text)).toBeUndefined()
})

test('what is written is read again, and nothing else is taken', () => {
  const hex = (length: number) =>
    string({
      unit: constantFrom(...Array.from({ length: 16 }, (_, digit) => digit.toString(16))),
      minLength: length,
      maxLength: length,
    }).filter((digits) => /[1-9a-f]/u.test(digits))
  assert(
    property(tuple(hex(32), hex(16), boolean()), ([traceId, spanId, sampled]) => {
      const context = { traceId, spanId, traceFlags: sampled ? 1 : 0 }
      expect(parseTraceparent(formatTraceparent(context))).toEqual(context)
    }),
  )
})
