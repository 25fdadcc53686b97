import { SpanKind, type Attributes } from '@opentelemetry/api'
import { currentCorrelation, withCorrelation, type Correlation } from '../logging/correlation.ts'
import { beginSpan, type LiveSpan } from './tracing.ts'

/** Runs work as one span: spans that begin within it are its children. Starts a new trace where there is none, as in workers. */
export async function traceWork<T>(
  name: string,
  { kind = SpanKind.INTERNAL, attributes = {} }: { kind?: SpanKind; attributes?: Attributes },
  work: () => Promise<T>,
): Promise<T> {
  const correlation = currentCorrelation()
  const span = beginSpan(name, { kind, parent: correlation.trace, attributes })
  return span ? withSpan(span, correlation, work) : work()
}

/** Runs work within a span and ends it with the work. A rejection marks the span as failed. */
export async function withSpan<T>(span: LiveSpan, correlation: Correlation, work: () => Promise<T>): Promise<T> {
  try {
    const result = await withCorrelation({ ...correlation, trace: span.context }, work)
    span.end()
    return result
  } catch (error) {
    span.end({ failed: true })
    throw error
  }
}
