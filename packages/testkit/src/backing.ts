import { randomBytes } from 'node:crypto'
import { connect } from 'amqplib'
import { mongo } from 'mongoose'
import { queuesOf, type Topology } from '@gateway/messaging'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'

/** The URLs of the tests' database and broker: `npm test` starts both and sets the environment. */
function backingUrls(): { mongoUrl: string; amqpUrl: string } {
  const { MONGO_URL: mongoUrl, AMQP_URL: amqpUrl } = process.env
  if (!mongoUrl || !amqpUrl) throw new Error('integration tests need MONGO_URL and AMQP_URL: run them with npm test')
  return { mongoUrl, amqpUrl }
}

/** Separate names for one test file, so that files can share a database server and a broker. */
export interface Sandbox {
  readonly mongoUrl: string
  readonly amqpUrl: string
  readonly amqpPrefix: string
  database(service: string): string
  /** A direct connection to the database, for assertions. */
  readonly client: mongo.MongoClient
  /** The number of messages in a queue; rejects while the queue does not exist. */
  messageCount(queue: string): Promise<number>
  /** Takes every message out of a queue, parsed, in order. */
  takeAll<T = unknown>(queue: string): Promise<T[]>
  /** Deletes the databases, queues and exchanges of these names. */
  remove(topologies: readonly Topology[]): Promise<void>
}

export async function createSandbox(): Promise<Sandbox> {
  const { mongoUrl, amqpUrl } = backingUrls()
  const id = `t${randomBytes(5).toString('hex')}`
  const client = await new mongo.MongoClient(mongoUrl).connect()
  const connection = await connect(amqpUrl)
  const looker = await connection.createChannel()
  const databases = new Set<string>()
  return {
    mongoUrl,
    amqpUrl,
    amqpPrefix: `${id}.`,
    client,
    database(service) {
      const name = `${id}_${service}`
      databases.add(name)
      return name
    },
    async messageCount(queue) {
      // The broker closes a channel that asks for a missing queue, so each look opens its own.
      const channel = await connection.createChannel()
      channel.on('error', () => undefined)
      const { messageCount } = await channel.checkQueue(queue)
      await channel.close()
      return messageCount
    },
    async takeAll<T>(queue: string) {
      const taken: T[] = []
      for (;;) {
        const message = await looker.get(queue, { noAck: true })
        if (!message) return taken
        taken.push(JSON.parse(message.content.toString('utf8')) as T)
      }
    },
    async remove(topologies) {
      for (const topology of topologies) {
        for (const queue of queuesOf(topology)) await looker.deleteQueue(queue.name)
        for (const exchange of Object.values(topology.exchanges)) await looker.deleteExchange(exchange.name)
      }
      for (const name of databases) await client.db(name).dropDatabase()
      await connection.close()
      await client.close()
    },
  }
}

/** A server's URL through a proxy that a test can cut. */
export async function startProxied(url: string): Promise<{ url: string; proxy: TcpProxy }> {
  const target = new URL(url)
  const proxy = await startTcpProxy({ targetHost: target.hostname, targetPort: Number(target.port) })
  const through = new URL(url)
  through.host = `127.0.0.1:${proxy.port}`
  return { url: through.href.replace(/\/$/u, ''), proxy }
}
