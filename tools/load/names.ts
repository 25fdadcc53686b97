import { connect } from 'amqplib'
import { mongo } from 'mongoose'
import { queuesOf, topology, type Topology } from '@gateway/messaging'

/** What the names of one run's databases, and of its queues and exchanges, begin with. */
export interface Prefixes {
  readonly databasePrefix: string
  readonly amqpPrefix: string
}

/** As the local stack declares them. */
const RETRY_DELAYS_MS = [1000, 2000, 4000, 8000]
const PARK_DELAYS_MS = [500, 2000, 10_000, 30_000, 120_000, 300_000]

/** Deletes the databases, queues and exchanges of a run from servers that are not its own. */
export async function removeNames(
  { mongoUrl, amqpUrl }: { readonly mongoUrl: string; readonly amqpUrl: string },
  { databasePrefix, amqpPrefix }: Prefixes,
  declared: Topology = topology(amqpPrefix, RETRY_DELAYS_MS, PARK_DELAYS_MS),
): Promise<void> {
  const client = await new mongo.MongoClient(mongoUrl).connect()
  const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true })
  for (const { name } of databases) if (name.startsWith(databasePrefix)) await client.db(name).dropDatabase()
  await client.close()

  const connection = await connect(amqpUrl)
  const channel = await connection.createChannel()
  for (const { name } of queuesOf(declared)) await channel.deleteQueue(name)
  for (const { name } of Object.values(declared.exchanges)) await channel.deleteExchange(name)
  await connection.close()
}
