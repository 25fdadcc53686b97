/** What the processes of `part.ts` are made of. They hold nothing of the gateway: no validation, signature, cache, limit or metric. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { mongo } from 'mongoose'
import { connectBroker, consume, createPublisher, eventTopology } from '@gateway/messaging'
import { createBatcher, silentLog } from '@gateway/service-kit'
import { insertBatch } from '@gateway/service-kit/mongo'

export interface StartPart {
  readonly mongoUrl: string
  readonly database: string
  readonly amqpUrl: string
  readonly amqpPrefix: string
  /** Documents are as large as the service's own. */
  readonly documentBytes: number
  /** Where `edge` finds the part that stands for order-api. */
  readonly ordersUrl: string
  readonly webhookUrl: string
  /** Signs the certificate of `webhookUrl`. */
  readonly ca: string
}

/** A document like the gateway's; `event` is removed once it was published. */
type Part = mongo.Document & { readonly _id: string; readonly event?: string }

/** About as long as an event of the gateway. */
export const EVENT = 'x'.repeat(600)
/** As the services delay writes that no caller waits for (docs/adr/0011). */
export const DELAYED = { maxDelayMs: 25, flushAtSize: 8 }
const CLEAR_DELAY_MS = 1000

export async function openStore(
  { mongoUrl, database, documentBytes }: StartPart,
  name: string,
  delay: Partial<typeof DELAYED> = {},
) {
  const writeConcern = { w: 'majority', journal: true } as const
  const client = await new mongo.MongoClient(mongoUrl, { writeConcern, maxPoolSize: 20 }).connect()
  const filler = 'x'.repeat(documentBytes)
  const withFiller = (part: Part): Part => ({ ...part, filler })
  const collection = client.db(database).collection<Part>(name)
  return {
    insert: createBatcher<Part, boolean>({
      ...{ maxBatchSize: 200, maxQueued: 5000, ...delay },
      run: (parts) => insertBatch(collection, parts.map(withFiller)),
    }),
    /** Removes published events, some time later, together with others. */
    clear: createBatcher<string, boolean>({
      ...{ maxBatchSize: 500, maxQueued: 50_000, maxDelayMs: CLEAR_DELAY_MS },
      async run(ids) {
        await collection.updateMany({ _id: { $in: [...ids] } }, { $unset: { event: '' } })
        return ids.map(() => ({ status: 'fulfilled', value: true }))
      },
    }),
  }
}

export function openBus({ amqpUrl, amqpPrefix }: StartPart, name: string) {
  const declared = eventTopology(amqpPrefix)
  const broker = connectBroker({ url: amqpUrl, name, log: silentLog, topology: declared })
  const publisher = createPublisher(broker, { confirmTimeoutMs: 30_000, maxInFlight: 10_000, log: silentLog })
  const exchange = declared.exchanges.events.name
  return {
    publish(routingKey: string, messageId: string): Promise<void> {
      const message = { routingKey, messageId, type: routingKey, correlationId: messageId, body: EVENT }
      return publisher.publish({ exchange, ...message, timestampMs: Date.now() })
    },
    /** A message is acknowledged when `handle` resolves. */
    consume(queue: 'orderCreated' | 'statusChanged', prefetch: number, handle: (messageId: string) => Promise<void>): void {
      consume(broker, {
        ...{ queue: declared.queues[queue], prefetch, publisher, log: silentLog },
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
    buffer(request)
      .then(answer)
      .then(
        (text) =>
          response.setHeader('content-type', 'application/json').setHeader('content-length', Buffer.byteLength(text)).end(text),
        () => response.writeHead(500).end(),
      )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a listening server has an address')
  return `http://127.0.0.1:${address.port}`
}
