/** Takes every message out of the queues that the gateway works from: they speak of what a restored database does not know. */
import { connect, type ChannelModel } from 'amqplib'
import type { mongo } from 'mongoose'
import { eventTopology } from '@gateway/messaging'

export interface EmptyQueuesOptions {
  readonly amqpUrl: string
  readonly amqpPrefix: string
  /** Queues in which webhooks wait: named after delays, so only the dispatcher's database knows them. */
  readonly waitQueues: readonly string[]
  readonly say: (line: string) => void
}

const NOT_FOUND = 404

/** Queues that are not there are passed over. Dead queues keep what they have: a person looks at them. */
export async function emptyQueues({ amqpUrl, amqpPrefix, waitQueues, say }: EmptyQueuesOptions): Promise<void> {
  const { orderCreated, statusChanged, retries } = eventTopology(amqpPrefix).queues
  // Those that others come back to last: what waits may end its time meanwhile.
  const names = [...waitQueues, ...[orderCreated, statusChanged, retries].map(({ name }) => name)]
  const connection = await connect(amqpUrl.split(',')[0] ?? amqpUrl)
  try {
    for (const name of names) {
      const count = await purge(connection, name)
      if (count > 0) say(`${name}: ${count} messages removed`)
    }
  } finally {
    await connection.close()
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

/** On a channel of its own: a queue that is missing ends its channel. */
async function purge(connection: ChannelModel, queue: string): Promise<number> {
  const channel = await connection.createChannel()
  channel.on('error', () => undefined)
  try {
    const { messageCount } = await channel.purgeQueue(queue)
    await channel.close()
    return messageCount
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === NOT_FOUND) return 0
    throw error
  }
}
