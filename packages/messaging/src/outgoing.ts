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
}

/** The AMQP properties of a message: persistent, and mandatory, so that the broker returns it when no queue is bound. */
export function propertiesOf({ messageId, type, correlationId, headers, timestampMs }: OutgoingMessage): Options.Publish {
  return {
    persistent: true,
    mandatory: true,
    contentType: 'application/json',
    messageId,
    type,
    correlationId,
    headers: headers ?? {},
    timestamp: Math.floor(timestampMs / 1000),
  }
}

export function toBuffer(body: Buffer | string): Buffer {
  return typeof body === 'string' ? Buffer.from(body) : body
}
