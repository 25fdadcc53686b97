import { randomBytes } from 'node:crypto'
import { connect } from 'amqplib'
import { mongo } from 'mongoose'
import { queuesOf, type Topology } from '@gateway/messaging'
import { backingUrls } from '@gateway/testkit'

/** Names of their own on the database server and the broker of `MONGO_URL` and `AMQP_URL`; no connection to the broker is held. */
export interface Place {
  readonly mongoUrl: string
  readonly amqpUrl: string
  readonly amqpPrefix: string
  readonly database: string
  readonly client: mongo.MongoClient
  /** Deletes what was made under these names. */
  remove(declared: Topology): Promise<void>
}

/** @param amqpUrl another way to the same broker, for those who use the place */
export async function createPlace(amqpUrl?: string): Promise<Place> {
  const given = backingUrls()
  const id = `bench${randomBytes(4).toString('hex')}`
  const database = `${id}_webhook_dispatcher`
  const client = await new mongo.MongoClient(given.mongoUrl).connect()
  return {
    mongoUrl: given.mongoUrl,
    amqpUrl: amqpUrl ?? given.amqpUrl,
    amqpPrefix: `${id}.`,
    database,
    client,
    async remove(declared) {
      const connection = await connect(given.amqpUrl)
      const channel = await connection.createChannel()
      for (const { name } of queuesOf(declared)) await channel.deleteQueue(name)
      for (const { name } of Object.values(declared.exchanges)) await channel.deleteExchange(name)
      await connection.close()
      await client.db(database).dropDatabase()
      await client.close()
    },
  }
}
