import type { OutgoingMessage } from '@gateway/messaging'

/** An event that was written with its document and has not been seen published. */
export interface OutboxEntry {
  /** The event's id, such as `<transaction id>.<sequence>`; consumers deduplicate by it. */
  readonly id: string
  /** The event's type, which is also its routing key. */
  readonly type: string
  readonly at: Date
  readonly correlation_id: string
  /** The JSON to publish, byte for byte. */
  readonly body: string
}

/** What the relay needs of a document. Its writer pushes entries in the same update that changes the state. */
export interface OutboxDocument {
  _id: string
  outbox: OutboxEntry[]
}

/**
 * The index the sweep looks into. Without the filter every document would be in it for ever; with it, only those with
 * something to publish. Use as `schema.index(outboxIndex.key, outboxIndex.options)`.
 */
export const outboxIndex = {
  key: { 'outbox.at': 1 },
  options: { name: 'outbox_at', partialFilterExpression: { 'outbox.at': { $exists: true } } },
} as const

export function toMessage(exchange: string, { id, type, at, correlation_id, body }: OutboxEntry): OutgoingMessage {
  return { exchange, routingKey: type, messageId: id, type, correlationId: correlation_id, body, timestampMs: at.getTime() }
}
