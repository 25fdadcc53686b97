import { withCorrelation } from '../logging/correlation.ts'
import { parseTraceparent, TRACEPARENT_HEADER } from './trace-context.ts'
import { beginSpan, isTracing, traceHeaders, type LiveSpan } from './tracing.ts'

/** Beside `traceparent`: when the message was published, in milliseconds since 1970. AMQP's own timestamp has whole seconds. */
const SENT_HEADER = 'trace-sent-ms'

export type MessageTraceHeaders = Readonly<Record<string, string | number>>

/** What a message says of its trace: that of `span`, else that of the work which publishes it. Nothing when there is none. */
export function messageTraceHeaders(span?: LiveSpan): MessageTraceHeaders {
  const headers = span ? { [TRACEPARENT_HEADER]: span.traceparent } : traceHeaders()
  return TRACEPARENT_HEADER in headers ? { ...headers, [SENT_HEADER]: Date.now() } : headers
}

/** What is told of a message by its queue. */
export interface TracedMessage {
  readonly messageId: string
  readonly type: string
  readonly correlationId: string
  readonly headers: Readonly<Record<string, unknown>>
}

/**
 * The handling of a message, with its payment's correlation id in every log line, and two spans: one for its time in the
 * queue (the delay of a retry included), which ends now, and one for the handling.
 */
export async function handleMessage<T>(message: TracedMessage, queue: string, work: () => Promise<T>): Promise<T> {
  const { correlationId, messageId, type, headers } = message
  if (!isTracing()) return withCorrelation({ correlationId }, work)
  const attributes = {
    'messaging.system': 'rabbitmq',
    'messaging.destination.name': queue,
    'messaging.message.id': messageId,
    'messaging.message.conversation_id': correlationId,
  }
  const waited = endWait(headers, `wait in ${queue}`, attributes)
  const span = beginSpan(`process ${type}`, { kind: 'consumer', parent: waited, attributes })
  try {
    const result = await withCorrelation({ correlationId, ...(span && { traceparent: span.traceparent }) }, work)
    span?.end()
    return result
  } catch (error) {
    span?.end({ failed: true })
    throw error
  }
}

/** The span of the time since the message was published; its `traceparent`, or the publisher's where the time is not known. */
function endWait(headers: TracedMessage['headers'], name: string, attributes: Record<string, string>): string | undefined {
  const { [TRACEPARENT_HEADER]: header, [SENT_HEADER]: sentMs } = headers
  const parent = typeof header === 'string' && parseTraceparent(header) ? header : undefined
  if (parent === undefined || typeof sentMs !== 'number') return parent
  // Another machine's clock may be ahead of ours.
  const wait = beginSpan(name, { kind: 'internal', parent, startMs: Math.min(sentMs, Date.now()), attributes })
  wait?.end()
  return wait?.traceparent
}
