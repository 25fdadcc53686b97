import type { Channel } from 'amqplib'
import type { Broker } from './broker.ts'
import { declareAll, declareQueue, type Declarations, type Queue, type Route } from './queue.ts'
import { BrokerUnavailable } from './errors.ts'

/** Operators' commands for single queues. Each call has its own channel, since a missing queue closes the channel. */
export interface QueueAdmin {
  /**
   * The number of messages in the queue; `undefined` when there is no such queue. Messages that the broker is about to
   * dead-letter, and cannot while the target is unavailable, are not counted.
   */
  depth(queueName: string): Promise<number | undefined>
  /** The same number, and how many consumers the queue has. Messages in the hands of consumers are not counted. */
  look(queueName: string): Promise<{ readonly messages: number; readonly consumers: number } | undefined>
  /** Creates what is missing. */
  declareAll(declarations: Declarations): Promise<void>
  /** Creates the queue with its bindings, if it is missing. */
  declare(queue: Omit<Queue, 'deadRoute'>): Promise<void>
  /** Removes the bindings of the queue; succeeds also when there are none. */
  unbind(queue: Pick<Queue, 'name' | 'bindings'>): Promise<void>
  /** Removes the bindings of an exchange to these routes; succeeds also when there are none. */
  unbindExchange(name: string, routes: readonly Route[]): Promise<void>
  /**
   * Deletes the queue unless a message waits in it; resolves to whether it is gone. Quorum queues support neither if-empty nor if-unused, and
   * `look` is no proof: the broker counts 0 messages and 0 consumers of a queue whose leader is silent for 250 ms
   * (rabbit_quorum_queue:stat). A get has its answer from the leader, or fails.
   */
  remove(queueName: string): Promise<boolean>
}

const NOT_FOUND = 404

/** Every method rejects with `BrokerUnavailable` while the broker is away. */
export function createQueueAdmin(broker: Broker): QueueAdmin {
  async function onChannel<T>(work: (channel: Channel) => Promise<T>): Promise<T> {
    if (broker.state === 'down') throw new BrokerUnavailable('the broker is down')
    const channel = await (await broker.consuming.connected()).createChannel()
    // The call that caused the error rejects too.
    channel.on('error', () => undefined)
    try {
      return await work(channel)
    } finally {
      await (async () => channel.close())().catch(() => undefined)
    }
  }
  /** `undefined` when there is no such queue. */
  async function onQueue<T>(work: (channel: Channel) => Promise<T>): Promise<T | undefined> {
    try {
      return await onChannel(work)
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === NOT_FOUND) return undefined
      throw error
    }
  }
  const look: QueueAdmin['look'] = (queueName) =>
    onQueue(async (channel) => {
      const { messageCount: messages, consumerCount: consumers } = await channel.checkQueue(queueName)
      return { messages, consumers }
    })
  return {
    look,
    depth: async (queueName) => (await look(queueName))?.messages,
    declareAll: (declarations) => onChannel((channel) => declareAll(channel, declarations)),
    declare: (queue) => onChannel((channel) => declareQueue(channel, queue)),
    unbind: ({ name, bindings }) =>
      onChannel(async (channel) => {
        for (const { exchange, routingKey } of bindings) await channel.unbindQueue(name, exchange, routingKey)
      }),
    unbindExchange: (name, routes) =>
      onChannel(async (channel) => {
        for (const { exchange, routingKey } of routes) await channel.unbindExchange(name, exchange, routingKey)
      }),
    remove: async (queueName) => {
      const isGone = await onQueue(async (channel) => {
        const message = await channel.get(queueName)
        if (message) channel.nack(message)
        else await channel.deleteQueue(queueName)
        return !message
      })
      return isGone ?? true
    },
  }
}
