import type { Fields } from './codec.ts'

export interface Message {
  readonly exchange: string
  readonly routingKey: string
  readonly properties: Fields
  readonly content: Buffer
  /** Of a dead-lettered message: how often it was delivered before, as far as that counts for delivery limits. */
  readonly deliveries?: number
}

/** A message in one queue. */
export interface Stored {
  readonly message: Message
  /** How often a consumer got it and gave it back, for any reason. */
  acquired: number
  /** Those of them that count for the delivery limit. */
  deliveries: number
  /** In virtual milliseconds; the queue looks at it only when the message is at its head. */
  readonly expiresAt: number
}

export function idOf({ properties }: Message): string {
  return String(properties['messageId'])
}

export function headersOf({ properties }: Message): Fields {
  const { headers } = properties
  return isFields(headers) ? headers : {}
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The properties of a delivery. Since RabbitMQ 4.3 `x-acquired-count` tells how often this queue got the message back, and
 * `x-delivery-count` how often that counted for the delivery limit, here and in the queue that dead-lettered it.
 */
export function deliveredProperties({ message, acquired, deliveries }: Stored): Fields {
  const shown = acquired > 0 ? acquired : (message.deliveries ?? 0)
  const counts = {
    ...(shown > 0 && { 'x-acquired-count': shown }),
    ...(deliveries > 0 && { 'x-delivery-count': deliveries }),
  }
  return { ...message.properties, headers: { ...headersOf(message), ...counts } }
}

export function isRedelivered({ message, acquired }: Stored): boolean {
  return acquired > 0 || (message.deliveries ?? 0) > 0
}

/** The message as its dead-letter exchange gets it. The model leaves out what only people read, such as `x-death`. */
export function deadLettered({ message, deliveries }: Stored, exchange: string, routingKey: string): Message {
  return { ...message, exchange, routingKey, deliveries }
}
