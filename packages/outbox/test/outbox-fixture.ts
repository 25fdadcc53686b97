import { randomUUID } from 'node:crypto'
import mongoose from 'mongoose'
import { eventId, newTransactionId, ownSlotOf, slotOfOrder } from '@gateway/contracts'
import { silentLog } from '@gateway/service-kit'
import { startFixture, type Fixture } from '@gateway/messaging/testing'
import {
  createOutboxRelay,
  outboxIndex,
  type OutboxDocument,
  type OutboxEntry,
  type OutboxRelay,
  type OutboxRelayOptions,
} from '../src/index.ts'

const MONGO_URL = process.env['MONGO_URL'] ?? 'mongodb://127.0.0.1:27017'

/** A new database with one collection of documents, and a broker connection with queues of its own. */
export interface OutboxFixture extends Fixture {
  readonly collection: mongoose.mongo.Collection<OutboxDocument>
  /** The commands with this name that the driver has sent. */
  sent(commandName: string): mongoose.mongo.Document[]
  relay(options?: Partial<OutboxRelayOptions>): OutboxRelay
  /** Documents that still have an event. */
  unpublished(): Promise<number>
}

export async function startOutboxFixture(): Promise<OutboxFixture> {
  const fixture = await startFixture()
  const connection = await mongoose.createConnection(`${MONGO_URL}/test-${randomUUID()}`, { monitorCommands: true }).asPromise()
  const collection = connection.collection<OutboxDocument>('documents')
  await collection.createIndex(outboxIndex.key, outboxIndex.options, {})
  const commands: mongoose.mongo.CommandStartedEvent[] = []
  connection.getClient().on('commandStarted', (command) => commands.push(command))
  const relays: OutboxRelay[] = []
  return {
    ...fixture,
    collection,
    sent: (commandName) => commands.filter((command) => command.commandName === commandName).map(({ command }) => command),
    relay(options) {
      const relay = createOutboxRelay({
        collection,
        publisher: fixture.publisher,
        exchange: fixture.declared.exchanges.events.name,
        now: () => new Date(),
        log: silentLog,
        sweepPauseMs: 50,
        ...options,
      })
      relays.push(relay)
      return relay
    },
    unpublished: () => collection.countDocuments({ 'outbox.at': { $exists: true } }),
    async stop() {
      for (const relay of relays) await relay.stop({ deadlineMs: 1_000 })
      await connection.dropDatabase()
      await connection.close()
      await fixture.stop()
    },
  }
}

const ids = new Map<string, string>()

/** The id of the document with this name; the same at each call. */
export function idOf(name: string): string {
  const id = ids.get(name) ?? newTransactionId(new Date(), slotOfOrder('M1', name))
  ids.set(name, id)
  return id
}

/** The event of a document, such as `order-1.1` for the first of the document `order-1`. */
export function entry(name: string, ageMs = 0, type = 'order.created'): OutboxEntry {
  const [document = '', sequence] = name.split('.')
  const id = eventId(idOf(document), Number(sequence))
  return { id, type, at: new Date(Date.now() - ageMs), correlation_id: `correlation of ${id}`, body: JSON.stringify({ id }) }
}

/** A document with these events, which are its own. */
export function documentOf(first: OutboxEntry, ...others: OutboxEntry[]): OutboxDocument {
  const [_id = ''] = first.id.split('.')
  return { _id, slot: ownSlotOf(_id), outbox: [first, ...others] }
}

export const documentsWith = (count: number, ageMs: number, type?: string): OutboxDocument[] =>
  Array.from({ length: count }, (_, index) => documentOf(entry(`${type?.replace('.', '-') ?? 'order'}-${index}.1`, ageMs, type)))
