import type { ConsumeMessage, Options } from 'amqplib'

/** A delivery as a handler sees it: the body and its properties; a property that the publisher did not set is an empty string. */
export interface IncomingMessage {
  readonly body: Buffer
  readonly messageId: string
  readonly type: string
  readonly correlationId: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly redelivered: boolean
  readonly routingKey: string
  /** When it was published, at the resolution of AMQP, one second; `undefined` when the publisher did not set it. */
  readonly publishedAtMs: number | undefined
  /** From 1: how often the queue has delivered the message to a consumer. */
  readonly deliveryCount: number
}

export function toIncoming({ content, fields, properties }: ConsumeMessage): IncomingMessage {
  const headers: Record<string, unknown> = properties.headers ?? {}
  return {
    body: content,
    messageId: text(properties.messageId),
    type: text(properties.type),
    correlationId: text(properties.correlationId),
    headers,
    redelivered: fields.redelivered,
    routingKey: fields.routingKey,
    publishedAtMs: typeof properties.timestamp === 'number' ? properties.timestamp * 1000 : undefined,
    deliveryCount: 1 + earlierDeliveries(headers),
  }
}

/** `x-acquired-count` from RabbitMQ 4.3 on; before that, `x-delivery-count` had the same meaning. */
function earlierDeliveries(headers: Readonly<Record<string, unknown>>): number {
  const count = headers['x-acquired-count'] ?? headers['x-delivery-count']
  return typeof count === 'number' && count > 0 ? count : 0
}

function text(property: unknown): string {
  return typeof property === 'string' ? property : ''
}

/** The earliest of some times; `undefined` when none is known. */
export function oldestOf(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

export interface OutgoingMessage {
  readonly exchange: string
  readonly routingKey: string
  /** The event's id; consumers deduplicate by it. */
  readonly messageId: string
  readonly type: string
  readonly correlationId: string
  /** JSON. */
  readonly body: Buffer | string
  readonly headers?: Readonly<Record<string, unknown>>
  /** Milliseconds since 1970; AMQP keeps whole seconds of it. */
  readonly timestampMs: number
  /** False: nothing needs to be bound for it yet. True by default. */
  readonly mandatory?: boolean
}

/** The AMQP properties of a message: persistent, and mandatory, so that the broker returns it when no queue is bound. */
export function propertiesOf({ messageId, type, correlationId, headers, timestampMs, mandatory = true }: OutgoingMessage) {
  return {
    persistent: true,
    mandatory,
    contentType: 'application/json',
    messageId,
    type,
    correlationId,
    headers: headers ?? {},
    timestamp: Math.floor(timestampMs / 1000),
  } satisfies Options.Publish
}

export function toBuffer(body: Buffer | string): Buffer {
  return typeof body === 'string' ? Buffer.from(body) : body
}

/**
 * Marks a message that may already have been published and handled: the dispatcher claims the delivery record before it sends.
 * An outbox entry has it as `maybe_published`.
 */
export const MAYBE_PUBLISHED_HEADER = 'maybe-published'
