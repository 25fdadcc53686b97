import type { Options } from 'amqplib'

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
