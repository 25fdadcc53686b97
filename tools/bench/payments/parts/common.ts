/** What the processes of `part.ts` are made of. They hold nothing of the gateway: no validation, signature, cache, limit or metric. */
import { createServer } from 'node:http'
import type { mongo } from 'mongoose'
import type { BrokerService } from '@gateway/contracts'
import { connectBroker, consume, createPublisher, eventTopology, type Queue } from '@gateway/messaging'
import { createBatcher, silentLog, type BatcherOptions } from '@gateway/service-kit'
import { readBytes } from '@gateway/service-kit/http'
import { connectDatabase, driverCollection, insertBatch } from '@gateway/service-kit/mongo'
import { listen } from '@gateway/testkit/json-server'

export interface StartPart {
  readonly mongoUrl: string
  /** Of the gateway's databases; the parts' own is `<prefix>parts`. */
  readonly databasePrefix: string
  readonly amqpUrl: string
  readonly amqpPrefix: string
  /** Texts as long as the gateway's own events. */
  readonly events: Readonly<Record<PartEvent, string>>
  /** Where `edge` finds the part that stands for order-api. */
  readonly ordersUrl: string
  readonly webhookUrl: string
  /** Signs the certificate of `webhookUrl`. */
  readonly ca: string
}

export type PartEvent = 'order.created' | 'transaction.status-changed'

/** The fields in which a document differs from the gateway's own: keys, times, and the event until it was published. */
type Part = mongo.Document & { readonly _id: string; readonly outbox?: readonly object[] }

export const JSON_TYPE = { 'content-type': 'application/json' }

const CLEAR_DELAY_MS = 1000

type Waits = Pick<BatcherOptions<unknown, unknown>, 'maxDelayMs' | 'flushAtSize' | 'pauseMs'>

/**
 * A collection whose documents and indexes are those of a service's collection: of its first document, which the warm-up has stored,
 * every other one is a copy with other keys.
 */
export async function openStore({ mongoUrl, databasePrefix }: StartPart, [service, name]: [string, string], waits: Waits = {}) {
  const { connection } = await connectDatabase({ url: mongoUrl, name: `${databasePrefix}parts`, log: silentLog })
  const copied = connection
    .getClient()
    .db(databasePrefix + service)
    .collection(name)
  const sample = await copied.findOne()
  if (!sample) throw new Error(`${service} has stored nothing in ${name}`)
  const collection = driverCollection<Part>(connection, name)
  for (const { key, v: _version, ...options } of await copied.indexes())
    if (options.name !== '_id_') await collection.createIndex(key, options, {})
  const insert = createBatcher<Part, boolean>({
    ...{ maxBatchSize: 200, maxQueued: 5000, ...waits },
    run: (parts) =>
      insertBatch(
        collection,
        parts.map((part) => ({ ...sample, ...part })),
      ),
  })
  return {
    sample,
    async insert(part: Part): Promise<void> {
      if (!(await insert(part))) throw new Error(`${name} has a document with these keys: ${part._id}`)
    },
    /** Removes published events, some time later, together with others. */
    clear: createBatcher<string, boolean>({
      ...{ maxBatchSize: 200, maxQueued: 50_000, maxDelayMs: CLEAR_DELAY_MS },
      async run(ids) {
        await collection.updateMany({ _id: { $in: [...ids] } }, { $unset: { outbox: '' } })
        return ids.map(() => ({ status: 'fulfilled', value: true }))
      },
    }),
  }
}

/** The queues between the parts, with messages of the gateway's sizes. Resolves when a message can be published. */
export async function openBus({ amqpUrl, amqpPrefix, events }: StartPart, service: BrokerService) {
  const declared = eventTopology(amqpPrefix)
  const broker = connectBroker({ url: amqpUrl, name: 'parts', service, log: silentLog, topology: declared })
  const publisher = createPublisher(broker, { confirmTimeoutMs: 30_000, maxInFlight: 10_000, log: silentLog })
  const { promise: isUp, resolve } = Promise.withResolvers<undefined>()
  publisher.onStateChange(() => resolve(undefined))
  await isUp
  const exchange = declared.exchanges.events.name
  return {
    queues: declared.queues,
    /** As a document holds it until it is published. */
    entry: (type: PartEvent, id: string) => ({ id, type, at: new Date(), body: events[type] }),
    publish: (type: PartEvent, messageId: string): Promise<void> => {
      const message = { routingKey: type, messageId, type, correlationId: messageId, body: events[type] }
      return publisher.publish({ exchange, ...message, timestampMs: Date.now() })
    },
    /** A message is acknowledged when `handle` resolves. */
    consume(queue: Queue, prefetch: number, handle: (messageId: string) => Promise<unknown>): void {
      consume(broker, {
        ...{ queue, prefetch, publisher, log: silentLog },
        async handle({ messageId }) {
          await handle(messageId)
          return 'ack'
        },
      })
    },
  }
}

/** Serves JSON on 127.0.0.1 and resolves with the URL. A rejection is answered with 500. */
export async function serve(answer: (body: Buffer) => Promise<string>): Promise<string> {
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    readBytes(request)
      .then(answer)
      .then(
        (text) => response.writeHead(200, { ...JSON_TYPE, 'content-length': Buffer.byteLength(text) }).end(text),
        () => response.writeHead(500).end(),
      )
  })
  return `http://127.0.0.1:${await listen(server)}`
}
