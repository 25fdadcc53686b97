import amqp from 'amqplib'
import mongoose from 'mongoose'

const CONNECT_WITHIN_MS = 5_000

/** True when the server answers a ping; rejects with the driver's reason. */
export async function pingMongo(url: string): Promise<true> {
  const client = new mongoose.mongo.MongoClient(url, { serverSelectionTimeoutMS: CONNECT_WITHIN_MS, maxPoolSize: 1 })
  try {
    await client.db('admin').command({ ping: 1 })
    return true
  } finally {
    await client.close()
  }
}

/** The first reachable node of a cluster (`AMQP_URL` with commas); rejects with all reasons when none is reachable. */
export async function firstAmqp(urls: string): Promise<string> {
  return Promise.any(urls.split(',').map(async (url) => pingAmqp(url.trim()).then(() => url.trim())))
}

/** True when the broker accepts a connection; rejects with its reason. */
export async function pingAmqp(url: string): Promise<true> {
  const connection = await amqp.connect(url, { timeout: CONNECT_WITHIN_MS })
  connection.on('error', () => undefined)
  await connection.close()
  return true
}
