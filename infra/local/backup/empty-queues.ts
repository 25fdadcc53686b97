/** Empties the gateway's queues: their messages refer to documents that a restored database does not contain. */
import { connect, type Channel } from 'amqplib'
import type { mongo } from 'mongoose'
import { MAX_PARTITIONS } from '@gateway/contracts'
import { eventTopology } from '@gateway/messaging'
import { UserError } from '@gateway-infra/system/user-error'

export interface Broker {
  readonly amqpUrl: string
  readonly amqpPrefix: string
}

const NOT_FOUND = 404

/** Throws when a queue has a consumer, whose unacknowledged messages would return, and when the broker cannot be reached. */
export async function refuseConsumers(broker: Broker): Promise<void> {
  for (const name of await workedQueues(broker)) {
    const found = await onQueue(broker, (channel) => channel.checkQueue(name))
    if (found && found.consumerCount > 0)
      throw new UserError(`a service still consumes from ${name}: stop all services first. Nothing was changed`)
  }
}

/** Skips missing queues; dead queues keep their messages. Only the dispatcher's database knows the delay queues. */
export async function emptyQueues(broker: Broker, delayQueues: readonly string[], say: (line: string) => void): Promise<void> {
  // Delay queues first: their messages may return to the other queues meanwhile.
  for (const name of [...delayQueues, ...(await workedQueues(broker))]) {
    const purged = await onQueue(broker, (channel) => channel.purgeQueue(name))
    if (purged && purged.messageCount > 0) say(`${name}: ${purged.messageCount} messages removed`)
  }
}

/** Names that running dispatchers recorded (ADR 8). */
export async function readDelayQueues(dispatchers: mongo.Db): Promise<string[]> {
  const found = await dispatchers.collection<{ _id: string }>('delay_queues').find({}).toArray()
  return found.map(({ _id }) => _id)
}

const PARTITIONED = ['orderCreated', 'statusChanged', 'refundChanged', 'ledgerEvents'] as const

/** Queues that services consume from, as far as they exist. A partition that is missing is the end of its queue's partitions. */
async function workedQueues(broker: Broker): Promise<string[]> {
  const all = eventTopology(broker.amqpPrefix)
  const names = [all.queues.retries.name]
  for (const key of PARTITIONED)
    for (let partition = 0; partition < MAX_PARTITIONS; partition++) {
      const { name } = all.partition(key, partition)
      if (!(await onQueue(broker, (channel) => channel.checkQueue(name)))) break
      names.push(name)
    }
  return names
}

/** `undefined` when the queue is missing. On its own connection, since a missing queue closes the channel. */
async function onQueue<T>({ amqpUrl }: Broker, work: (channel: Channel) => Promise<T>): Promise<T | undefined> {
  const connection = await connect(amqpUrl.split(',')[0] ?? amqpUrl)
  // The call is rejected too; without a listener the error event would end the process.
  connection.on('error', () => undefined)
  try {
    const channel = await connection.createChannel()
    channel.on('error', () => undefined)
    return await work(channel)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === NOT_FOUND) return undefined
    throw error
  } finally {
    await connection.close().catch(() => undefined)
  }
}
