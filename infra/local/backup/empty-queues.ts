/** Empties the gateway's queues: their messages refer to documents that a restored database does not contain. */
import { connect, type Channel, type ChannelModel } from 'amqplib'
import type { mongo } from 'mongoose'
import { eventTopology } from '@gateway/messaging'
import { UserError } from '@gateway-infra/system/user-error'

export interface Broker {
  readonly amqpUrl: string
  readonly amqpPrefix: string
}

export interface EmptyQueuesOptions extends Broker {
  /** Delay queues: only the dispatcher's database knows their names. */
  readonly waitQueues: readonly string[]
  readonly say: (line: string) => void
}

const NOT_FOUND = 404

/**
 * Throws a `UserError` when a queue has a consumer: its unacknowledged messages would return. Also throws when the broker
 * cannot be reached, so call it before anything is changed.
 */
export async function refuseConsumers({ amqpUrl, amqpPrefix }: Broker): Promise<void> {
  await withConnection(amqpUrl, async (connection) => {
    for (const name of workedQueues(amqpPrefix)) {
      const found = await onQueue(connection, async (channel) => channel.checkQueue(name))
      if (found && found.consumerCount > 0)
        throw new UserError(`a service still consumes from ${name}: stop all services first. Nothing was changed`)
    }
  })
}

/** Skips missing queues. Dead queues keep their messages for an operator. */
export async function emptyQueues({ amqpUrl, amqpPrefix, waitQueues, say }: EmptyQueuesOptions): Promise<void> {
  await withConnection(amqpUrl, async (connection) => {
    // Delay queues first: their messages may return to the other queues meanwhile.
    for (const name of [...waitQueues, ...workedQueues(amqpPrefix)]) {
      const purged = await onQueue(connection, async (channel) => channel.purgeQueue(name))
      if (purged && purged.messageCount > 0) say(`${name}: ${purged.messageCount} messages removed`)
    }
  })
}

/** Queues that services consume from. */
function workedQueues(amqpPrefix: string): string[] {
  const { orderCreated, statusChanged, retries } = eventTopology(amqpPrefix).queues
  return [orderCreated, statusChanged, retries].map(({ name }) => name)
}

async function withConnection(amqpUrl: string, work: (connection: ChannelModel) => Promise<void>): Promise<void> {
  const connection = await connect(amqpUrl.split(',')[0] ?? amqpUrl)
  // The call is rejected too; without a listener the error event would end the process.
  connection.on('error', () => undefined)
  try {
    await work(connection)
  } finally {
    await connection.close().catch(() => undefined)
  }
}

/** Names that running dispatchers recorded (ADR 8). */
export async function readWaitQueues(dispatchers: mongo.Db): Promise<string[]> {
  const found = await dispatchers
    .collection<{ _id: string }>('wait_queues')
    .find({})
    .project<{ _id: string }>({ _id: 1 })
    .toArray()
  return found.map(({ _id }) => _id)
}

/** `undefined` when the queue is missing. On its own channel, since a missing queue closes the channel. */
async function onQueue<T>(connection: ChannelModel, work: (channel: Channel) => Promise<T>): Promise<T | undefined> {
  const channel = await connection.createChannel()
  channel.on('error', () => undefined)
  try {
    const result = await work(channel)
    await channel.close()
    return result
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === NOT_FOUND) return undefined
    throw error
  }
}
