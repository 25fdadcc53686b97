import { randomUUID } from 'node:crypto'
import { connect, type ChannelModel, type GetMessage } from 'amqplib'
import { silentLog } from '@gateway/service-kit'
import { eventually } from '@gateway/testkit/eventually'
import { startTcpProxy, type TcpProxy } from '@gateway/testkit/tcp-proxy'
import {
  connectBroker,
  createPublisher,
  queuesOf,
  topology,
  type Broker,
  type OutgoingMessage,
  type Publisher,
  type Queue,
  type Topology,
} from '../src/index.ts'

export const AMQP_URL = process.env['AMQP_URL'] ?? 'amqp://127.0.0.1:5672'

/** Waits for a condition; fails the test when it is not true in time. */
export function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  return eventually(async () => {
    if (!(await condition())) throw new Error(`not true in time: ${what}`)
  })
}

/** A service's broker connection through a proxy, with its own topology, and a direct connection for assertions. */
export interface Fixture {
  readonly proxy: TcpProxy
  readonly declared: Topology
  readonly broker: Broker
  readonly publisher: Publisher
  readonly direct: ChannelModel
  /** Takes a message out of a queue; waits until there is one. */
  take(queue: Queue): Promise<GetMessage>
  count(queue: Queue): Promise<number>
  stop(): Promise<void>
}

export const RETRY_DELAYS_MS = [300, 600]

export async function startFixture(options: { confirmTimeoutMs?: number; maxInFlight?: number } = {}): Promise<Fixture> {
  const real = new URL(AMQP_URL)
  const proxy = await startTcpProxy({ targetHost: real.hostname, targetPort: Number(real.port || 5672) })
  const through = new URL(AMQP_URL)
  through.host = `127.0.0.1:${proxy.port}`
  const declared = topology(`test-${randomUUID()}.`, RETRY_DELAYS_MS, [200])
  const broker = connectBroker({ url: through.href, name: 'messaging test', log: silentLog, topology: declared })
  const publisher = createPublisher(broker, { confirmTimeoutMs: 30_000, maxInFlight: 1_000, log: silentLog, ...options })
  const direct = await connect(AMQP_URL)
  const looker = await direct.createChannel()
  await until('the broker is up', () => broker.state === 'up' && publisher.state === 'up')

  return {
    proxy,
    declared,
    broker,
    publisher,
    direct,
    async take(queue) {
      const taken: GetMessage[] = []
      await until(`a message in ${queue.name}`, async () => {
        const message = await looker.get(queue.name, { noAck: true })
        return message ? taken.push(message) > 0 : false
      })
      return taken[0] as GetMessage
    },
    count: async (queue) => (await looker.checkQueue(queue.name)).messageCount,
    async stop() {
      await broker.close()
      for (const queue of queuesOf(declared)) await looker.deleteQueue(queue.name)
      for (const exchange of Object.values(declared.exchanges)) await looker.deleteExchange(exchange.name)
      await direct.close()
      await proxy.stop()
    },
  }
}

export function orderCreated(
  declared: Topology,
  messageId: string = randomUUID(),
  more: Partial<OutgoingMessage> = {},
): OutgoingMessage {
  return {
    exchange: declared.exchanges.events.name,
    routingKey: 'order.created',
    messageId,
    type: 'order.created',
    correlationId: 'correlation-1',
    body: JSON.stringify({ id: messageId }),
    timestampMs: 1_700_000_000_123,
    ...more,
  }
}
