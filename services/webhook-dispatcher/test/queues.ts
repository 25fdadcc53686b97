import { connectBroker, createQueueAdmin, topology, type QueueAdmin } from '@gateway/messaging'
import { log, type Fixture } from './fixture.ts'

/** Reads queues that are in no topology of the fixture, and deletes them at the end. */
export interface QueueLooker extends Pick<QueueAdmin, 'depth'> {
  /** Deletes the queues of these delays. */
  clear(retryDelaysMs: readonly number[], parkDelaysMs: readonly number[]): Promise<void>
  close(): Promise<void>
}

export async function lookAtQueues({ sandbox }: Fixture): Promise<QueueLooker> {
  const broker = connectBroker({ url: sandbox.amqpUrl, name: 'test', log })
  await broker.consuming.connected()
  await broker.publishing.connected()
  const admin = createQueueAdmin(broker)
  return {
    depth: (name) => admin.depth(name),
    async clear(retryDelaysMs, parkDelaysMs) {
      const { waits, parks } = topology(sandbox.amqpPrefix, retryDelaysMs, parkDelaysMs).queues
      for (const { name } of [...waits, ...parks]) await admin.remove(name)
    },
    close: () => broker.close(),
  }
}
