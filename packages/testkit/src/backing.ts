import { randomBytes } from 'node:crypto'
import { connect } from 'amqplib'
import { mongo } from 'mongoose'
import { BROKER_SERVICES } from '@gateway/contracts'
import { partitionsAt, queuesOf, topology, type Topology } from '@gateway/messaging'
import './queries/start.ts'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'

/** The URLs of the tests' database and broker: `npm test` starts both and sets the environment. */
function backingUrls(): { mongoUrl: string; amqpUrl: string } {
  const { MONGO_URL: mongoUrl, AMQP_URL: amqpUrl } = process.env
  if (!mongoUrl || !amqpUrl) throw new Error('integration tests need MONGO_URL and AMQP_URL: run them with npm test')
  return { mongoUrl, amqpUrl }
}

/** Separate names for one test file, so that files can share a database server and a broker. */
export type Sandbox = Awaited<ReturnType<typeof createSandbox>>

export async function createSandbox() {
  const servers = backingUrls()
  const id = `t${randomBytes(5).toString('hex')}`
  const [databasePrefix, amqpPrefix] = [`${id}_`, `${id}.`]
  /** A direct connection to the database, for assertions. */
  const client = await new mongo.MongoClient(servers.mongoUrl).connect()
  const connection = await connect(servers.amqpUrl)
  const looker = await connection.createChannel()
  return {
    ...servers,
    amqpPrefix,
    client,
    database: (service: string) => databasePrefix + service,
    /** The number of messages in a queue; rejects while the queue does not exist. */
    async messageCount(queue: string) {
      // The broker closes a channel that asks for a missing queue, so each look opens its own.
      const channel = await connection.createChannel()
      channel.on('error', () => undefined)
      const { messageCount } = await channel.checkQueue(queue)
      await channel.close()
      return messageCount
    },
    /** Takes every message out of a queue, parsed, in order. */
    async takeAll<T = unknown>(queue: string) {
      const taken: T[] = []
      for (;;) {
        const message = await looker.get(queue, { noAck: true })
        if (!message) return taken
        taken.push(JSON.parse(message.content.toString('utf8')) as T)
      }
    },
    /** Deletes the databases, queues and exchanges of these names. */
    async remove(topologies: readonly Topology[]) {
      await connection.close()
      await client.close()
      await removeNames(servers, { databasePrefix, amqpPrefix }, topologies)
    },
  }
}

/** What the names of one run's databases, and of its queues and exchanges, begin with. */
export interface Prefixes {
  readonly databasePrefix: string
  readonly amqpPrefix: string
}

/** As the local stack declares them. */
const RETRY_DELAYS_MS = [1000, 2000, 4000, 8000]
const PARK_DELAYS_MS = [500, 2000, 10_000, 30_000, 120_000, 300_000]

/** That a run may have. */
const MOST_PARTITIONS = 8

/** Deletes the databases, queues and exchanges of a run from servers that are not its own. */
export async function removeNames(
  { mongoUrl, amqpUrl }: { readonly mongoUrl: string; readonly amqpUrl: string },
  { databasePrefix, amqpPrefix }: Prefixes,
  declared: readonly Topology[] = [topology(amqpPrefix, RETRY_DELAYS_MS, PARK_DELAYS_MS)],
): Promise<void> {
  const client = await new mongo.MongoClient(mongoUrl).connect()
  const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true })
  for (const { name } of databases) if (name.startsWith(databasePrefix)) await client.db(name).dropDatabase()
  await client.close()

  const connection = await connect(amqpUrl)
  const channel = await connection.createChannel()
  const partitions = Array.from({ length: MOST_PARTITIONS }, (_, partition) => partition)
  const partitioned = (all: Topology) =>
    BROKER_SERVICES.flatMap((service) => partitions.flatMap((partition) => partitionsAt(service, all, partition)))
  const queues = declared.flatMap((all) => [...queuesOf(all), ...partitioned(all)])
  for (const { name } of queues) await channel.deleteQueue(name)
  for (const { name } of declared.flatMap(({ exchanges }) => Object.values(exchanges))) await channel.deleteExchange(name)
  await connection.close()
}

/** A server's URL through a proxy that a test can cut. */
export async function startProxied(url: string): Promise<{ url: string; proxy: TcpProxy }> {
  const target = new URL(url)
  const proxy = await startTcpProxy({ targetHost: target.hostname, targetPort: Number(target.port) })
  const through = new URL(url)
  through.host = `127.0.0.1:${proxy.port}`
  return { url: through.href.replace(/\/$/u, ''), proxy }
}
