/** Publishers and consumers of `order.created` on a real broker and database, and the steps of an operator. */
import mongoose from 'mongoose'
import { ownSlotOf, slotDigits, SLOTS } from '@gateway/contracts'
import {
  connectBroker,
  consumePartitions,
  createPublisher,
  createQueueAdmin,
  eventTopology,
  type QueueAdmin,
} from '@gateway/messaging'
import { createOutboxRelay, type OutboxDocument } from '@gateway/outbox'
import { createMetrics, silentLog as log } from '@gateway/service-kit'
import { createSandbox, eventually } from '@gateway/testkit'
import { joinPartitions, makePartitionOperator, mongoPartitions } from '../src/index.ts'
import { stepsTo, type ServiceState } from '../src/steps.ts'

type Service = 'order-api' | 'payment-status'
const SERVICES = ['order-api', 'payment-status'] as const
const now = (): Date => new Date()

/** Ids whose numbers follow one another are in different partitions. */
const eventId = (number: number): string =>
  `01M7Z06FKYP25ADK0GD2${String(number).padStart(6, '0')}${slotDigits((number * 257) % SLOTS)}.0`

export type World = Awaited<ReturnType<typeof startWorld>>

export async function startWorld() {
  const sandbox = await createSandbox()
  const topology = eventTopology(sandbox.amqpPrefix)
  const databases = new Map(
    await Promise.all(
      SERVICES.map(async (service) => {
        const options = { dbName: sandbox.database(service) }
        return [service, await mongoose.createConnection(sandbox.mongoUrl, options).asPromise()] as const
      }),
    ),
  )
  const databaseOf = (service: Service): mongoose.Connection => databases.get(service) ?? mongoose.connection
  const documents = databaseOf('order-api').collection<OutboxDocument>('orders')
  const operatorBroker = connectBroker({ url: sandbox.amqpUrl, name: 'operator', log })
  await operatorBroker.consuming.connected()
  const real = createQueueAdmin(operatorBroker)
  let isLeaderSilent = false
  const admin: QueueAdmin = {
    ...real,
    async look(queue) {
      const seen = await real.look(queue)
      return seen && isLeaderSilent ? { messages: 0, consumers: 0 } : seen
    },
  }
  /** The queues from which each event was handled. */
  const handled = new Map<string, string[]>()
  let published: string[] = []
  let [created, held] = [0, 0]
  const stops = new Set<() => Promise<unknown>>()
  const said: string[] = []

  const operatorOf = (service: Service) =>
    makePartitionOperator({
      ...{ service, store: mongoPartitions(databaseOf(service)), admin, topology, now, deadlineMs: 20_000 },
      say: (line) => said.push(line),
    })
  const states = (): Promise<ServiceState[]> => Promise.all(SERVICES.map((service) => operatorOf(service).state()))

  /** A replica with its own connections, and ten handlers at once. `isHeld` keeps them from ending. */
  async function start(service: Service, publishes = 1, { isHeld = false } = {}) {
    const options = { dbName: sandbox.database(service) }
    const connection = await mongoose.createConnection(sandbox.mongoUrl, options).asPromise()
    const joining = joinPartitions({ service, connection, publishes, log, now })
    joining.catch(() => connection.close())
    const partitions = await joining
    const broker = connectBroker({ url: sandbox.amqpUrl, name: service, service, log, topology, partitions: partitions.counts })
    const publisher = createPublisher(broker, { confirmTimeoutMs: 10_000, maxInFlight: 1000, log })
    const handlerOf =
      (queue: string) =>
      async ({ messageId }: { messageId: string }) => {
        if (isHeld) {
          held += 1
          await new Promise(() => undefined)
        }
        handled.set(messageId, [...(handled.get(messageId) ?? []), queue])
        return 'ack' as const
      }
    const consuming = { topology, queues: [{ key: 'orderCreated', handlerOf }] as const, prefetch: 10, publisher, log }
    const consumers =
      service === 'payment-status'
        ? consumePartitions(broker, { ...consuming, partitions: partitions.counts().consumed })
        : undefined
    const metrics = createMetrics(service)
    const following = partitions.follow({ broker, topology, metrics, ...(consumers && { consumers }) })
    const exchange = topology.exchanges.events.name
    const relay = createOutboxRelay({
      ...{ collection: documents, publisher, exchange, partitions: () => publishes, now, log },
      ...{ sweepAfterMs: 500, sweepPauseMs: 100 },
    })
    if (service === 'order-api') relay.start()
    await eventually(() => expect(publisher.state).toBe('up'))

    async function stop(): Promise<void> {
      stops.delete(stop)
      await consumers?.stop({ deadlineMs: 5000 })
      await relay.stop({ deadlineMs: 5000 })
      await following.stop(1000)
      await broker.close()
      await connection.close()
    }
    /** Without a farewell: its report stays and becomes old, and its messages go back to their queues. */
    async function kill(): Promise<void> {
      stops.delete(stop)
      const reports = databaseOf(service).collection('partition_replicas')
      await reports.updateMany({}, { $set: { at: new Date(0) } })
      await connection.close(true)
      await broker.close()
      await relay.stop({ deadlineMs: 100 })
      await following.stop(100).catch(() => undefined)
    }
    stops.add(stop)
    return {
      metrics,
      partitions,
      stop,
      kill,
      /** Creates some orders, whose events this replica publishes. */
      async create(count: number): Promise<void> {
        for (let left = count; left > 0; left--) {
          const id = eventId(created++)
          published.push(id)
          const entry = { id, type: 'order.created', at: now(), correlation_id: id, body: JSON.stringify({ id }) }
          await documents.insertOne({ _id: id, slot: ownSlotOf(id), outbox: [entry] })
          relay.submit(id, [entry])
        }
      },
    }
  }

  return {
    ...{ start, states, said, admin, topology, documents, operatorOf },
    /** From now on, or no longer, queues are counted as RabbitMQ counts one whose leader is silent for 250 ms. */
    silenceLeaders: (isSilent: boolean): void => void (isLeaderSilent = isSilent),
    /** Handlers that never end. */
    held: () => held,
    store: (service: Service) => mongoPartitions(databaseOf(service)),
    /** The numbers of the partitions from whose queues events were handled since the last call. */
    partitionsUsed(): Set<number> {
      const queues = [...handled.values()].flat()
      handled.clear()
      published = []
      return new Set(queues.map((name) => Number(/\.(\d+)$/u.exec(name)?.[1] ?? 0)))
    },
    /** Waits until every event was handled. */
    allHandled: () => eventually(() => expect(published.filter((id) => !handled.has(id))).toEqual([])),
    /** As `npm run partitions` does, without the rest. */
    async change(partitions: number): Promise<void> {
      const steps = stepsTo(partitions, await states())
      if ('refused' in steps) throw new Error(steps.refused)
      for (const step of steps) {
        if (step.kind === 'rest') continue
        const operator = operatorOf(step.service === 'order-api' ? 'order-api' : 'payment-status')
        expect([step, await operator[step.kind](partitions)]).toEqual([step, true])
      }
    },
    async stop(): Promise<void> {
      for (const stop of stops) await stop()
      await operatorBroker.close()
      for (const database of databases.values()) await database.close()
      await sandbox.remove([topology])
    },
  }
}
