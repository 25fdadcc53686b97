import { SpanKind, type Attributes, type Context } from '@opentelemetry/api'
import { currentCorrelation, withCorrelation, type Correlation } from '../logging/correlation.ts'
import { beginSpan, isTracing, readTrace, traceHeaders, type LiveSpan } from './tracing.ts'

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
async function withSpan<T>(span: LiveSpan, correlation: Correlation, work: () => Promise<T>): Promise<T> {
  try {
    const result = await withCorrelation({ ...correlation, trace: span.context }, work)
    span.end()
    return result
  } catch (error) {
    span.end({ failed: true })
    throw error
  }
}

/** When the message was published, in milliseconds since 1970. AMQP's own timestamp has whole seconds. */
const SENT_HEADER = 'trace-sent-ms'

export type MessageTraceHeaders = Readonly<Record<string, string | number>>

/** Trace headers of a message: of the given span, or of the work that publishes it. Empty when there is no trace. */
export function messageTraceHeaders(span?: LiveSpan): MessageTraceHeaders {
  const headers = traceHeaders(span)
  return Object.keys(headers).length === 0 ? headers : { ...headers, [SENT_HEADER]: Date.now() }
}

/** A message as its consumer received it. */
export interface TracedMessage {
  readonly messageId: string
  readonly type: string
  readonly correlationId: string
  readonly headers: Readonly<Record<string, unknown>>
}

/**
 * Handles a message with its payment's correlation id in every log line, and two spans: one for its time in the queue, the
 * delay of a retry included, and one for the handling.
 */
export function handleMessage<T>(message: TracedMessage, queue: string, work: () => Promise<T>): Promise<T> {
  const { correlationId, messageId, type, headers } = message
  if (!isTracing()) return withCorrelation({ correlationId }, work)
  const attributes = {
    'messaging.system': 'rabbitmq',
    'messaging.destination.name': queue,
    'messaging.message.id': messageId,
    'messaging.message.conversation_id': correlationId,
  }
  const parent = recordWait(headers, `wait in ${queue}`, attributes)
  const span = beginSpan(`process ${type}`, { kind: SpanKind.CONSUMER, parent, attributes })
  return span ? withSpan(span, { correlationId }, work) : withCorrelation({ correlationId }, work)
}

/** Records the time since the message was published as a span. Returns it, or the publisher's span where the time is not known. */
function recordWait(headers: TracedMessage['headers'], name: string, attributes: Attributes): Context | undefined {
  const publishers = readTrace(headers)
  const sentMs = headers[SENT_HEADER]
  if (publishers === undefined || typeof sentMs !== 'number') return publishers
  // The publisher's clock may be ahead of this machine's.
  const startMs = Math.min(sentMs, Date.now())
  const wait = beginSpan(name, { kind: SpanKind.INTERNAL, parent: publishers, startMs, attributes })
  wait?.end()
  return wait?.context
}
