import { propagation, SpanKind, trace } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { assert, boolean, constantFrom, property, string, tuple } from 'fast-check'
import { withCorrelation } from '../logging/correlation.ts'
import { beginSpan, readTrace, setTracer, traceHeaders } from './tracing.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

beforeEach(() => {
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  setTracer(trace.getTracer('test'))
})
afterEach(() => {
  propagation.disable()
  setTracer(undefined)
})

const read = (traceparent: unknown) => {
  const context = readTrace({ traceparent })
  return context && trace.getSpanContext(context)
}
const written = (traceparent: string) => withCorrelation({ trace: readTrace({ traceparent }) }, () => traceHeaders())

test('the example of the specification is read', () => {
  expect(read(`00-${TRACE}-${SPAN}-01`)).toEqual({ traceId: TRACE, spanId: SPAN, traceFlags: 1, isRemote: true })
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
  expect(readTrace({ traceparent: text })).toBeUndefined()
})

test('a trace that was read is written as it was', () => {
  const hex = (length: number) =>
    string({
      unit: constantFrom(...Array.from({ length: 16 }, (_, digit) => digit.toString(16))),
      minLength: length,
      maxLength: length,
    }).filter((digits) => /[1-9a-f]/u.test(digits))
  assert(
    property(tuple(hex(32), hex(16), boolean()), ([traceId, spanId, sampled]) => {
      const traceparent = `00-${traceId}-${spanId}-0${sampled ? 1 : 0}`
      expect(read(traceparent)).toEqual({ traceId, spanId, traceFlags: sampled ? 1 : 0, isRemote: true })
      expect(written(traceparent)).toEqual({ traceparent })
    }),
  )
})

test('while tracing is off nothing is read, begun or written', () => {
  const context = readTrace({ traceparent: `00-${TRACE}-${SPAN}-01` })
  setTracer(undefined)
  expect(readTrace({ traceparent: `00-${TRACE}-${SPAN}-01` })).toBeUndefined()
  expect(beginSpan('work', { kind: SpanKind.INTERNAL, parent: context })).toBeUndefined()
  expect(withCorrelation({ trace: context }, () => traceHeaders())).toEqual({})
})
