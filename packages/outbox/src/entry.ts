import { isConsumed } from '@gateway/contracts'
import { MAYBE_PUBLISHED_HEADER, type OutgoingMessage, type Route } from '@gateway/messaging'
import { beginSpan, messageTraceHeaders, readTrace, SpanKind, traceHeaders, type LiveSpan } from '@gateway/service-kit/tracing'

/** An event that was written with its document and is not known to be published. */
export interface OutboxEntry {
  /** The event's id, such as `<transaction id>.<sequence>`; consumers deduplicate by it. It names the slot of its document. */
  readonly id: string
  /** The event's type, which is also its routing key in partition 0. */
  readonly type: string
  readonly at: Date
  readonly correlation_id: string
  /** The JSON to publish, byte for byte. */
  readonly body: string
  /** The trace of the work that wrote the event, if traces are on; publishing continues it, also after a crash. */
  readonly traceparent?: string
  /** Present when the event may already have been published. */
  readonly maybe_published?: true
}

/** Whether the event may already have been published. Its message then has a header, so that the consumer does not act twice. */
export function isMaybePublished({ maybe_published }: Pick<OutboxEntry, 'maybe_published'>): boolean {
  return maybe_published === true
}

/** The same event with the mark that it may already have been published. */
export function asMaybePublished(entry: OutboxEntry): OutboxEntry {
  return { ...entry, maybe_published: true }
}

/** The form in which a document holds an event. */
export function toEntry(event: {
  readonly id: string
  readonly type: string
  readonly occurred_at: string
  readonly correlation_id: string
}): OutboxEntry {
  const { id, type, occurred_at, correlation_id } = event
  const { traceparent } = traceHeaders()
  const entry = { id, type, at: new Date(occurred_at), correlation_id, body: JSON.stringify(event) }
  return traceparent === undefined ? entry : { ...entry, traceparent }
}

/** What the relay needs of a document. The update that changes the state pushes the entry. */
export interface OutboxDocument {
  _id: string
  /** The slot of the order that the document belongs to. */
  readonly slot: number
  outbox: OutboxEntry[]
}

/** The sweep's index of documents with something to publish: `schema.index(outboxIndex.key, outboxIndex.options)`. */
export const outboxIndex = {
  key: { 'outbox.at': 1, slot: 1 },
  options: { name: 'outbox_at', partialFilterExpression: { 'outbox.at': { $exists: true } } },
} as const

export function toMessage(route: Route, entry: OutboxEntry, span?: LiveSpan): OutgoingMessage {
  const { id, type, at, correlation_id, body } = entry
  const message = {
    ...route,
    messageId: id,
    type,
    correlationId: correlation_id,
    body,
    timestampMs: at.getTime(),
    ...(isConsumed(type) ? {} : { mandatory: false }),
  }
  if (!span && !isMaybePublished(entry)) return message
  const headers = { ...(isMaybePublished(entry) && { [MAYBE_PUBLISHED_HEADER]: true }), ...(span && messageTraceHeaders(span)) }
  return { ...message, headers }
}

/** The span of an event's time in its outbox, from its write to the confirm of the broker. */
export function beginOutboxSpan({ id, type, at, correlation_id, traceparent }: OutboxEntry): LiveSpan | undefined {
  return beginSpan(`outbox ${type}`, {
    kind: SpanKind.PRODUCER,
    parent: readTrace({ traceparent }),
    startMs: at.getTime(),
    attributes: {
      'messaging.system': 'rabbitmq',
      'messaging.message.id': id,
      'messaging.message.conversation_id': correlation_id,
    },
  })
}
