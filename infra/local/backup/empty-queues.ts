/** Takes every message out of the queues that the gateway works from: they speak of what a restored database does not know. */
import { connect, type Channel, type ChannelModel } from 'amqplib'
import type { mongo } from 'mongoose'
import { eventTopology } from '@gateway/messaging'
import { UserError } from '@gateway-infra/system/user-error'

export interface Broker {
  readonly amqpUrl: string
  readonly amqpPrefix: string
}

export interface EmptyQueuesOptions extends Broker {
  /** Queues in which webhooks wait: named after delays, so only the dispatcher's database knows them. */
  readonly waitQueues: readonly string[]
  readonly say: (line: string) => void
}

const NOT_FOUND = 404

/**
 * Throws a `UserError` when somebody takes messages from a queue that is to be emptied: what it holds would come back. Also
 * throws when the broker cannot be reached, so call it before anything is changed.
 */
export async function refuseConsumers({ amqpUrl, amqpPrefix }: Broker): Promise<void> {
  await withConnection(amqpUrl, async (connection) => {
    for (const name of workedQueues(amqpPrefix)) {
      const found = await onQueue(connection, async (channel) => channel.checkQueue(name))
      if (found && found.consumerCount > 0)
        throw new UserError(`a service still works from ${name}: stop all services first. Nothing was changed`)
    }
  })
}

/** Queues that are not there are passed over. Dead queues keep what they have: a person looks at them. */
export async function emptyQueues({ amqpUrl, amqpPrefix, waitQueues, say }: EmptyQueuesOptions): Promise<void> {
  await withConnection(amqpUrl, async (connection) => {
    // Those that others come back to last: what waits may end its time meanwhile.
    for (const name of [...waitQueues, ...workedQueues(amqpPrefix)]) {
      const purged = await onQueue(connection, async (channel) => channel.purgeQueue(name))
      if (purged && purged.messageCount > 0) say(`${name}: ${purged.messageCount} messages removed`)
    }
  })
}

/** Those that services consume from. */
function workedQueues(amqpPrefix: string): string[] {
  const { orderCreated, statusChanged, retries } = eventTopology(amqpPrefix).queues
  return [orderCreated, statusChanged, retries].map(({ name }) => name)
}

async function withConnection(amqpUrl: string, work: (connection: ChannelModel) => Promise<void>): Promise<void> {
  const connection = await connect(amqpUrl.split(',')[0] ?? amqpUrl)
  // What it ends is rejected as well; without a listener the process would end in the middle.
  connection.on('error', () => undefined)
  try {
    await work(connection)
  } finally {
    await connection.close().catch(() => undefined)
  }
}

/** The names that running dispatchers wrote down (ADR 8). */
export async function readWaitQueues(dispatchers: mongo.Db): Promise<string[]> {
  const found = await dispatchers
    .collection<{ _id: string }>('wait_queues')
    .find({})
    .project<{ _id: string }>({ _id: 1 })
    .toArray()
  return found.map(({ _id }) => _id)
}

/** On a channel of its own: a queue that is missing ends its channel. `undefined` when it is. */
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
