import { precondition, Unsupported } from './errors.ts'
import type { Fields } from './codec.ts'

/** What the arguments of a quorum queue say. */
export interface QueueOptions {
  /** As they were given: declaring the queue again needs the same ones. */
  readonly given: Fields
  /** The message is dead-lettered with one more; `Infinity` without a limit. */
  readonly deliveryLimit: number
  readonly ttlMs: number
  readonly expiresMs: number
  readonly maxLength: number
  readonly rejectsWhenFull: boolean
  readonly deadLetter:
    { readonly exchange: string; readonly routingKey: string | undefined; readonly atLeastOnce: boolean } | undefined
}

/** The limit of RabbitMQ 4 when a queue does not name one. */
const DEFAULT_DELIVERY_LIMIT = 20

const KNOWN = new Set([
  ...['x-queue-type', 'x-overflow', 'x-delivery-limit', 'x-message-ttl', 'x-expires', 'x-max-length'],
  ...['x-dead-letter-exchange', 'x-dead-letter-routing-key', 'x-dead-letter-strategy', 'x-quorum-initial-group-size'],
])

/** Throws on anything but a durable quorum queue. */
export function readQueueOptions(fields: Fields): QueueOptions {
  const given = (fields['arguments'] ?? {}) as Fields
  const unknown = Object.keys(given).find((name) => !KNOWN.has(name))
  if (unknown !== undefined) throw new Unsupported(`the queue argument ${unknown}`)
  if (given['x-queue-type'] !== 'quorum') throw new Unsupported('queues other than quorum queues')
  if (fields['durable'] !== true || fields['exclusive'] === true || fields['autoDelete'] === true)
    throw precondition(`invalid property 'non-durable' for queue '${String(fields['queue'])}' in vhost '/'`)
  const overflow = given['x-overflow'] ?? 'drop-head'
  if (overflow !== 'drop-head' && overflow !== 'reject-publish') throw precondition(`invalid arg 'x-overflow' for queue`)
  const limit = number(given, 'x-delivery-limit', DEFAULT_DELIVERY_LIMIT)
  return {
    given,
    deliveryLimit: limit < 0 ? Infinity : limit,
    ttlMs: number(given, 'x-message-ttl', Infinity),
    expiresMs: number(given, 'x-expires', Infinity),
    maxLength: number(given, 'x-max-length', Infinity),
    rejectsWhenFull: overflow === 'reject-publish',
    deadLetter: readDeadLetter(given, overflow),
  }
}

/** At-least-once needs `reject-publish`; without it the broker falls back to at-most-once. */
function readDeadLetter(given: Fields, overflow: string): QueueOptions['deadLetter'] {
  const {
    'x-dead-letter-exchange': exchange,
    'x-dead-letter-routing-key': routingKey,
    'x-dead-letter-strategy': strategy,
  } = given
  if (typeof exchange !== 'string') return undefined
  const atLeastOnce = strategy === 'at-least-once' && overflow === 'reject-publish'
  return { exchange, routingKey: typeof routingKey === 'string' ? routingKey : undefined, atLeastOnce }
}

function number(given: Fields, name: string, otherwise: number): number {
  const value = given[name] ?? otherwise
  if (typeof value !== 'number') throw precondition(`invalid arg '${name}' for queue`)
  return value
}

/** Throws when a queue exists with other arguments. */
export function requireSame(name: string, existing: Fields, wanted: Fields): void {
  for (const argument of new Set([...Object.keys(existing), ...Object.keys(wanted)])) {
    if (existing[argument] === wanted[argument]) continue
    const [received, current] = [wanted[argument] ?? 'none', existing[argument] ?? 'none'].map(String)
    throw precondition(
      `inequivalent arg '${argument}' for queue '${name}' in vhost '/': received ${received} but current is ${current}`,
    )
  }
}
