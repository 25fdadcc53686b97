/** What the programs of this folder share. They hold nothing of the gateway: no validation, signature, cache, limit or metric. */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mongo } from 'mongoose'
import { connectBroker, createPublisher, eventTopology, type Broker, type Publisher, type Topology } from '@gateway/messaging'
import { createBatcher, silentLog, type Batcher } from '@gateway/service-kit'
import { insertBatch } from '@gateway/service-kit/mongo'

export interface Backing {
  readonly mongoUrl: string
  readonly database: string
  readonly amqpUrl: string
  readonly amqpPrefix: string
}

/** As the gateway's documents with an unpublished event: `event` is taken out once it was published. */
export interface Part extends mongo.Document {
  readonly _id: string
  readonly filler: string
  readonly event?: string
  readonly status?: string
}

/** About as long as an event of the gateway. */
export const EVENT = 'x'.repeat(600)
/** As the services have it: nobody waits for these (docs/adr/0011). */
export const LINGER = { maxDelayMs: 25, flushAtSize: 8 }
const CLEAR_LINGER_MS = 1000

export interface Store {
  readonly collection: mongo.Collection<Part>
  insert(document: Part): Promise<boolean>
  /** Sometime, together with others: the event was published. */
  readonly clear: Batcher<string, boolean>
}

export async function openStore(
  { mongoUrl, database }: Backing,
  name: string,
  linger: { maxDelayMs?: number; flushAtSize?: number },
): Promise<Store> {
  const writeConcern = { w: 'majority', journal: true } as const
  const client = await new mongo.MongoClient(mongoUrl, { writeConcern, maxPoolSize: 20 }).connect()
  const collection = client.db(database).collection<Part>(name)
  return {
    collection,
    insert: createBatcher<Part, boolean>({
      maxBatchSize: 200,
      maxQueued: 5000,
      ...linger,
      run: (documents) => insertBatch(collection, documents),
    }),
    clear: createBatcher<string, boolean>({
      maxBatchSize: 500,
      maxQueued: 50_000,
      maxDelayMs: CLEAR_LINGER_MS,
      run: async (ids) => {
        await collection.updateMany({ _id: { $in: ids } }, { $unset: { event: '' } })
        return ids.map(() => ({ status: 'fulfilled', value: true }))
      },
    }),
  }
}

export interface Bus {
  readonly broker: Broker
  readonly declared: Topology
  readonly publisher: Publisher
  publish(routingKey: string, messageId: string): Promise<void>
}

export function openBus({ amqpUrl, amqpPrefix }: Backing, name: string): Bus {
  const declared = eventTopology(amqpPrefix)
  const broker = connectBroker({ url: amqpUrl, name, log: silentLog, topology: declared })
  const publisher = createPublisher(broker, { confirmTimeoutMs: 30_000, maxInFlight: 10_000, log: silentLog })
  const exchange = declared.exchanges.events.name
  const publish: Bus['publish'] = (routingKey, messageId) =>
    publisher.publish({
      exchange,
      routingKey,
      messageId,
      type: routingKey,
      correlationId: messageId,
      body: EVENT,
      timestampMs: Date.now(),
    })
  return { broker, declared, publisher, publish }
}

/** An order's id by the merchant's own name of it, which holds letters and digits enough to tell it. */
export function idOf(orderId: string): string {
  return orderId.replaceAll(/[^0-9A-Za-z]/gu, '').toUpperCase()
}

/** Those that are asked for at once are found together. */
export function batchFinds(collection: mongo.Collection<Part>): Batcher<string, Part | undefined> {
  return createBatcher<string, Part | undefined>({
    maxBatchSize: 100,
    maxQueued: 5000,
    run: async (ids) => {
      const found = await collection.find({ _id: { $in: ids } }).toArray()
      const byId = new Map(found.map((part) => [part._id, part]))
      return ids.map((id) => ({ status: 'fulfilled', value: byId.get(id) }))
    },
  })
}

/** Its URL on 127.0.0.1. The answer is JSON with status 200; a rejection is 500. */
export async function serve(answer: (body: Buffer, request: IncomingMessage) => Promise<string>): Promise<string> {
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      answer(Buffer.concat(chunks), request).then(
        (text) =>
          response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text),
        () => response.writeHead(500).end(),
      )
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A TCP server's address is never a pipe's name.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
