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

/** Why a message was dead-lettered. */
export type DeathReason = 'expired' | 'rejected' | 'delivery_limit' | 'maxlen'

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

interface Death extends Fields {
  readonly queue?: unknown
  readonly reason?: unknown
  readonly count?: unknown
}

/** The message as its dead-letter exchange gets it. */
export function deadLettered(
  stored: Stored,
  from: { queue: string; reason: DeathReason; now: number },
  to: { exchange: string; routingKey: string },
): Message {
  const { message } = stored
  const { queue, reason, now } = from
  const headers = headersOf(message)
  const { expiration, ...properties } = message.properties
  const deaths: readonly Death[] = Array.isArray(headers['x-death']) ? headers['x-death'].filter(isFields) : []
  const isSame = (death: Death): boolean => death.queue === queue && death.reason === reason
  const known = deaths.find(isSame)
  const death: Death = known
    ? { ...known, count: Number(known.count) + 1 }
    : {
        count: 1,
        reason,
        queue,
        time: { '!': 'timestamp', value: Math.floor(now / 1000) },
        exchange: message.exchange,
        'routing-keys': [message.routingKey],
        ...(expiration !== undefined && { 'original-expiration': expiration }),
      }
  const first = {
    'x-first-death-exchange': message.exchange,
    'x-first-death-queue': queue,
    'x-first-death-reason': reason,
  }
  const last = { 'x-last-death-exchange': message.exchange, 'x-last-death-queue': queue, 'x-last-death-reason': reason }
  const all = { ...first, ...headers, ...last, 'x-death': [death, ...deaths.filter((one) => !isSame(one))] }
  return { ...to, properties: { ...properties, headers: all }, content: message.content, deliveries: stored.deliveries }
}
