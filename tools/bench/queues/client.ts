/** A bare publisher or consumer, by the services' own clients: no outbox, no database, no handler. */
import { connectBroker, consume, createPublisher, createQueueAdmin, workQueue, type Queue } from '@gateway/messaging'
import { silentLog } from '@gateway/service-kit'
import { serveProgram } from '@gateway-tools/load/program'

export interface QueuesOptions {
  readonly amqpUrl: string
  readonly queues: readonly string[]
  readonly messages: number
}

export type ClientFunctions = typeof functions

const BODY = 'x'.repeat(500)
/** Unconfirmed messages at once: as many as the relays of four replicas have. */
const IN_FLIGHT = 1024
/** Unacknowledged messages at once, over all queues: twice the prefetch of a service when there are several. */
const PREFETCH = 400

const functions = {
  /** Creates the queues as work queues are: quorum queues that dead-letter. */
  declare: (options: QueuesOptions) =>
    connected(options, async ({ admin }, queues) => {
      for (const queue of queues) await admin.declare(queue)
    }),

  remove: (options: QueuesOptions) =>
    connected(options, async ({ admin }, queues) => {
      for (const { name } of queues) await admin.remove(name)
    }),

  /** Publishes to the queues in turn, persistent and mandatory; resolves when the last message is confirmed. */
  publish: (options: QueuesOptions) =>
    connected(options, ({ publisher }, queues) =>
      timed(async () => {
        let sent = 0
        const caller = async (): Promise<void> => {
          while (sent < options.messages) {
            const number = sent++
            const name = queues[number % queues.length]?.name ?? ''
            const message = { routingKey: name, messageId: String(number), type: 'bench', correlationId: '', body: BODY }
            await publisher.publish({ exchange: '', ...message, timestampMs: Date.now() })
          }
        }
        await Promise.all(Array.from({ length: IN_FLIGHT }, caller))
      }),
    ),

  /** Acknowledges each message at once; resolves when as many were taken as there are. */
  consume: (options: QueuesOptions) =>
    connected(options, ({ broker, publisher }, queues) =>
      timed(async () => {
        const { promise: done, resolve } = Promise.withResolvers<undefined>()
        let taken = 0
        const prefetch = queues.length === 1 ? PREFETCH : Math.ceil((2 * PREFETCH) / queues.length)
        const handle = (): Promise<'ack'> => {
          taken += 1
          if (taken === options.messages) resolve(undefined)
          return Promise.resolve('ack')
        }
        const consumers = queues.map((queue) => consume(broker, { queue, prefetch, handle, publisher, log: silentLog }))
        await done
        await Promise.all(consumers.map((consumer) => consumer.stop({ deadlineMs: 5000 })))
      }),
    ),
}

type Clients = ReturnType<typeof openClients>

function openClients({ amqpUrl }: QueuesOptions) {
  const broker = connectBroker({ url: amqpUrl, name: 'bench', log: silentLog })
  const publisher = createPublisher(broker, { confirmTimeoutMs: 60_000, maxInFlight: IN_FLIGHT, log: silentLog })
  return { broker, publisher, admin: createQueueAdmin(broker) }
}

/** Runs `work` on a connection of its own, once it can publish. */
async function connected<T>(
  options: QueuesOptions,
  work: (clients: Clients, queues: readonly Queue[]) => Promise<T>,
): Promise<T> {
  const clients = openClients(options)
  const { promise: isUp, resolve } = Promise.withResolvers<undefined>()
  clients.publisher.onStateChange(() => resolve(undefined))
  await Promise.all([isUp, clients.broker.consuming.connected()])
  const queues = options.queues.map((name) => workQueue(name, [], { exchange: '', routingKey: `${name}.dead` }))
  try {
    return await work(clients, queues)
  } finally {
    await clients.broker.close()
  }
}

/** How long `work` took, and the processor time that this process used meanwhile. */
async function timed(work: () => Promise<void>): Promise<{ tookMs: number; cpuMs: number }> {
  const [startedMs, before] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(before)
  return { tookMs: performance.now() - startedMs, cpuMs: (user + system) / 1000 }
}

serveProgram(import.meta.filename, functions)
