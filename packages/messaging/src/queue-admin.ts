import type { Channel } from 'amqplib'
import type { Broker } from './connection.ts'
import { BrokerUnavailable } from './errors.ts'
import { declareQueue, type Queue } from './topology.ts'

/** What operators do to single queues. Each call has a channel of its own: a queue that is missing ends its channel. */
export interface QueueAdmin {
  /**
   * Messages that wait in the queue; `undefined` when there is no such queue. What the broker is about to dead-letter, and
   * cannot while the target is away, is not in this number.
   */
  depth(queueName: string): Promise<number | undefined>
  /** With its bindings, if it is missing. */
  declare(queue: Omit<Queue, 'deadRoute'>): Promise<void>
  /** Nothing is routed to the queue any more. Succeeds when nothing was. */
  unbind(queue: Pick<Queue, 'name' | 'bindings'>): Promise<void>
  /** Deletes it with all it holds: quorum queues know neither if-empty nor if-unused. */
  remove(queueName: string): Promise<void>
}

const NOT_FOUND = 404

/** Every method rejects with `BrokerUnavailable` while the broker is away. */
export function createQueueAdmin(broker: Broker): QueueAdmin {
  async function onChannel<T>(work: (channel: Channel) => Promise<T>): Promise<T> {
    if (broker.state === 'down') throw new BrokerUnavailable('the broker is down')
    const channel = await (await broker.consuming.connected()).createChannel()
    // The call that caused it rejects too.
    channel.on('error', () => undefined)
    try {
      return await work(channel)
    } finally {
      await (async () => channel.close())().catch(() => undefined)
    }
  }
  return {
    async depth(queueName) {
      try {
        return await onChannel(async (channel) => (await channel.checkQueue(queueName)).messageCount)
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === NOT_FOUND) return undefined
        throw error
      }
    },
    declare: (queue) => onChannel((channel) => declareQueue(channel, queue)),
    unbind: ({ name, bindings }) =>
      onChannel(async (channel) => {
        for (const { exchange, routingKey } of bindings) await channel.unbindQueue(name, exchange, routingKey)
      }),
    remove: (queueName) =>
      onChannel(async (channel) => {
        await channel.deleteQueue(queueName)
      }),
  }
}
