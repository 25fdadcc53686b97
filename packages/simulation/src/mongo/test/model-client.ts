import net from 'node:net'
import type { Duplex } from 'node:stream'
import { mongo } from 'mongoose'
import type { World } from '../../kernel/kernel.ts'
import { Cluster, type ClusterOptions } from '../cluster.ts'

const HOSTS = ['mongo-0:27017', 'mongo-1:27017', 'mongo-2:27017']

/** A world in real time, for the real driver, whose own timers are real. */
function realTimeWorld(): World {
  let state = 7
  return {
    now: () => Date.now(),
    after(ms, run) {
      const timer = setTimeout(run, ms)
      timer.unref()
      return () => clearTimeout(timer)
    },
    random: () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647,
  }
}

/** Connects the real driver to a model; other connections of this process stay as they are. */
export async function connectToModel(
  options: Partial<ClusterOptions> = {},
  clientOptions: mongo.MongoClientOptions = {},
): Promise<{ model: Cluster; client: mongo.MongoClient; close: () => Promise<void> }> {
  const model = new Cluster(realTimeWorld(), { hosts: HOSTS, shards: 1, ...options })
  const { createConnection } = net
  const connect = (target: net.TcpNetConnectOpts): Duplex => {
    const address = `${String(target.host)}:${target.port}`
    if (!model.url.includes(address)) return createConnection(target)
    return model.connect({ name: 'test', run: (work) => work() }, address)
  }
  Object.assign(net, { createConnection: connect })
  const client = await new mongo.MongoClient(model.url, clientOptions).connect()
  return {
    model,
    client,
    async close() {
      await client.close()
      Object.assign(net, { createConnection })
    },
  }
}
