import type { Channel } from 'amqplib'

export interface Route {
  readonly exchange: string
  readonly routingKey: string
}

export interface Exchange {
  readonly name: string
  readonly type: 'topic' | 'direct'
  /** No client can publish to it. */
  readonly internal?: boolean
  /** From other exchanges. */
  readonly bindings?: readonly Route[]
}

export interface Queue {
  readonly name: string
  readonly arguments: Readonly<Record<string, string | number>>
  readonly bindings: readonly Route[]
  /** Where its consumer dead-letters a message, with the reason. The broker uses it too, past the delivery limit. */
  readonly deadRoute: Route
}

/** The exchanges and queues that a connection declares. */
export interface Declarations {
  readonly exchanges: readonly Exchange[]
  readonly queues: readonly Queue[]
}

/**
 * How often a consumer may die with a message before the broker dead-letters it. RabbitMQ's default of 20 would drop healthy
 * messages of a service that crash-loops, since a crash counts for every prefetched message. 100 crashes take hours at the
 * restart pause of any orchestrator. A handler that merely fails does not count (`basic.nack`, from RabbitMQ 4.3 on).
 */
const DELIVERY_LIMIT = 100

/** Operators look at dead messages and put them back, which must not lose them: -1 is "no limit". */
const NO_DELIVERY_LIMIT = -1

/** The leader of a quorum queue does all its work: the leaders are spread over the nodes of a cluster, not put where a client is connected. */
const SPREAD = { 'x-queue-leader-locator': 'balanced' } as const

/** A queue that a service consumes. Past the delivery limit the broker dead-letters to `deadRoute`. */
export function workQueue(name: string, bindings: readonly Route[], deadRoute: Route): Queue {
  return { name, arguments: { ...deadLetteringTo(deadRoute), ...SPREAD }, bindings, deadRoute }
}

/** Holds each message for `ttlMs`, then dead-letters it to `to`. One TTL a queue, since messages expire only at its head. */
export function delayQueue(name: string, ttlMs: number, routes: { from: Route; to: Route; deadRoute: Route }): Queue {
  const { from, to, deadRoute } = routes
  return { name, arguments: { ...deadLetteringTo(to), ...SPREAD, 'x-message-ttl': ttlMs }, bindings: [from], deadRoute }
}

/** Keeps dead-lettered messages for an operator. */
export function deadQueue(name: string, deadRoute: Route): Queue {
  const limits = { 'x-overflow': 'reject-publish', 'x-delivery-limit': NO_DELIVERY_LIMIT }
  return { name, arguments: { 'x-queue-type': 'quorum', ...limits, ...SPREAD }, bindings: [deadRoute], deadRoute }
}

/**
 * At-least-once dead-lettering (a message leaves its queue only when the next one has confirmed it) needs `reject-publish`.
 * No `x-expires`: it deletes a queue with its messages. No length limit: it would push back into the outbox while the consumer
 * is merely away, so the operator's policy and the disk alarm limit the length.
 */
function deadLetteringTo({ exchange, routingKey }: Route): Record<string, string | number> {
  return {
    'x-queue-type': 'quorum',
    'x-overflow': 'reject-publish',
    'x-dead-letter-strategy': 'at-least-once',
    'x-dead-letter-exchange': exchange,
    'x-dead-letter-routing-key': routingKey,
    'x-delivery-limit': DELIVERY_LIMIT,
  }
}

/**
 * Creates the exchanges, queues and bindings that are missing. Publishers call it too, so that a mandatory message to a new
 * broker is not returned. Rejects, and the channel is closed, when something exists with other properties.
 */
export async function declareAll(channel: Channel, { exchanges, queues }: Declarations): Promise<void> {
  for (const { name, type, internal = false } of exchanges) await channel.assertExchange(name, type, { durable: true, internal })
  for (const queue of queues) await declareQueue(channel, queue)
  // Last: what such a binding brings must find its queues.
  for (const { name, bindings = [] } of exchanges)
    for (const { exchange, routingKey } of bindings) await channel.bindExchange(name, exchange, routingKey)
}

/** Creates one queue and its bindings; their exchanges must exist. */
export async function declareQueue(channel: Channel, queue: Omit<Queue, 'deadRoute'>): Promise<void> {
  await channel.assertQueue(queue.name, { durable: true, arguments: queue.arguments })
  for (const { exchange, routingKey } of queue.bindings) await channel.bindQueue(queue.name, exchange, routingKey)
}
