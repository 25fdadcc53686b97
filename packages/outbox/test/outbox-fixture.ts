import { randomUUID } from 'node:crypto'
import mongoose from 'mongoose'
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

export function entry(id: string, ageMs = 0, type = 'order.created'): OutboxEntry {
  return { id, type, at: new Date(Date.now() - ageMs), correlation_id: `correlation of ${id}`, body: JSON.stringify({ id }) }
}

export const documentsWith = (count: number, ageMs: number, type?: string): OutboxDocument[] =>
  Array.from({ length: count }, (_, index) => ({
    _id: `${type ?? 'order'}-${index}`,
    outbox: [entry(`${type ?? 'order'}-${index}.1`, ageMs, type)],
  }))
