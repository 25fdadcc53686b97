import { currentCorrelation, withCorrelation } from '../logging/correlation.ts'
import { beginSpan, type SpanAttributes, type SpanKind } from './tracing.ts'

/**
 * Work as one span, whose children are the spans that begin within it; a rejection marks it as failed. A new trace begins
 * where there is none, as with a worker's own steps.
 */
export async function traceWork<T>(
  name: string,
  { kind = 'internal', attributes = {} }: { kind?: SpanKind; attributes?: SpanAttributes },
  work: () => Promise<T>,
): Promise<T> {
  const correlation = currentCorrelation()
  const span = beginSpan(name, { kind, parent: correlation.traceparent, attributes })
  if (!span) return work()
  try {
    const result = await withCorrelation({ ...correlation, traceparent: span.traceparent }, work)
    span.end()
    return result
  } catch (error) {
    span.end({ failed: true })
    throw error
  }
}
