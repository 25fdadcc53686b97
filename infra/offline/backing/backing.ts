/** Database and broker: the options of their start, and whether a server answers. */
import amqp from 'amqplib'
import mongoose from 'mongoose'
import type { Ports } from '@gateway-infra/system/ports'
import type { Progress } from '@gateway-infra/system/progress'

export interface BackingOptions {
  /** Identifies the instance; its data survives restarts. */
  readonly stateDir: string
  readonly cacheDir: string
  readonly ports: Ports
  readonly progress: Progress
  readonly env: NodeJS.ProcessEnv
  /** RabbitMQ's users and permissions (messaging, broker-users.ts), for a broker that is started as a process. */
  readonly brokerDefinitions?: string
  /** True when the data need not be kept: containers get volumes that are removed with them. */
  readonly isTemporary?: boolean
}

/** A MongoDB-protocol server and a RabbitMQ broker that answer. Those started here are started again when they end by themselves. */
export interface Backing {
  readonly kind: 'given' | 'docker' | 'native'
  /** Why this kind was chosen, for the terminal. */
  readonly reason: string
  /** Without a database name. */
  readonly mongoUrl: string
  readonly amqpUrl: string
  /** Runs `rabbitmqctl` on a broker that is a process of this machine; resolves to its output. */
  readonly askBroker?: (args: readonly string[]) => Promise<string>
  /** Stops what was started here; data stays. */
  stop(): Promise<void>
}

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
