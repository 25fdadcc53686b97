import type { ConsumeMessage } from 'amqplib'

/** A delivery as a handler sees it: bytes and what the publisher said about them, empty strings where it said nothing. */
export interface IncomingMessage {
  readonly body: Buffer
  readonly messageId: string
  readonly type: string
  readonly correlationId: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly redelivered: boolean
  readonly routingKey: string
  /** When it was published, in whole seconds as AMQP has it; `undefined` when the publisher did not say. */
  readonly publishedAtMs: number | undefined
  /** From 1. Counts every time that the queue gave the message to a consumer. */
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

/** Quorum queues say `x-acquired-count` from RabbitMQ 4.3 on; before, `x-delivery-count` counted the same. */
function earlierDeliveries(headers: Readonly<Record<string, unknown>>): number {
  const count = headers['x-acquired-count'] ?? headers['x-delivery-count']
  return typeof count === 'number' && count > 0 ? count : 0
}

function text(property: unknown): string {
  return typeof property === 'string' ? property : ''
}
