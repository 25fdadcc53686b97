import type { Channel } from 'amqplib'
import type { Queue } from './queue.ts'
import type { Declarations } from './topology.ts'

/**
 * Creates the exchanges, queues and bindings that are missing. Publishers call it too, so that a mandatory message to a new
 * broker is not returned. Rejects, and the channel is closed, when something exists with other properties.
 */
export async function declareAll(channel: Channel, { exchanges, queues }: Declarations): Promise<void> {
  for (const exchange of exchanges) {
    await channel.assertExchange(exchange.name, exchange.type, { durable: true })
  }
  for (const queue of queues) await declareQueue(channel, queue)
}

/** Creates one queue and its bindings; their exchanges must exist. */
export async function declareQueue(channel: Channel, queue: Omit<Queue, 'deadRoute'>): Promise<void> {
  await channel.assertQueue(queue.name, { durable: true, arguments: queue.arguments })
  for (const { exchange, routingKey } of queue.bindings) await channel.bindQueue(queue.name, exchange, routingKey)
}
