import { precondition, Unsupported } from './errors.ts'
import type { Fields } from './codec.ts'

/** What the arguments of a quorum queue say. */
export interface QueueOptions {
  /** The message is dead-lettered with one more; `Infinity` without a limit. */
  readonly deliveryLimit: number
  readonly ttlMs: number
  readonly deadLetter: { readonly exchange: string; readonly routingKey: string | undefined } | undefined
}

/** The limit of RabbitMQ 4 when a queue does not name one. */
const DEFAULT_DELIVERY_LIMIT = 20

const KNOWN = new Set([
  ...['x-queue-type', 'x-overflow', 'x-delivery-limit', 'x-message-ttl'],
  ...['x-dead-letter-exchange', 'x-dead-letter-routing-key', 'x-dead-letter-strategy'],
])

/** Throws on anything but a durable quorum queue. */
export function readQueueOptions(fields: Fields): QueueOptions {
  const given = (fields['arguments'] ?? {}) as Fields
  const unknown = Object.keys(given).find((name) => !KNOWN.has(name))
  if (unknown !== undefined) throw new Unsupported(`the queue argument ${unknown}`)
  if (given['x-queue-type'] !== 'quorum') throw new Unsupported('queues other than quorum queues')
  if (fields['durable'] !== true || fields['exclusive'] === true || fields['autoDelete'] === true)
    throw precondition(`invalid property 'non-durable' for queue '${String(fields['queue'])}' in vhost '/'`)
  if (given['x-overflow'] !== 'reject-publish') throw new Unsupported('queues that drop messages')
  const limit = number(given, 'x-delivery-limit', DEFAULT_DELIVERY_LIMIT)
  return {
    deliveryLimit: limit < 0 ? Infinity : limit,
    ttlMs: number(given, 'x-message-ttl', Infinity),
    deadLetter: readDeadLetter(given),
  }
}

function readDeadLetter(given: Fields): QueueOptions['deadLetter'] {
  const {
    'x-dead-letter-exchange': exchange,
    'x-dead-letter-routing-key': routingKey,
    'x-dead-letter-strategy': strategy,
  } = given
  if (typeof exchange !== 'string') return undefined
  if (strategy !== 'at-least-once') throw new Unsupported('dead-lettering at most once')
  return { exchange, routingKey: typeof routingKey === 'string' ? routingKey : undefined }
}

function number(given: Fields, name: string, otherwise: number): number {
  const value = given[name] ?? otherwise
  if (typeof value !== 'number') throw precondition(`invalid arg '${name}' for queue`)
  return value
}
