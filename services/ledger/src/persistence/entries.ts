import type { Connection, mongo } from 'mongoose'
import { driverCollection } from '@gateway/service-kit/mongo'
import type { Entry } from '../domain/entry.ts'
import { entryModel, toEntryDocument, type EntryDocument } from './entry-model.ts'
import { storeNewer } from './store-newer.ts'

/** The stored entries. */
export interface Entries {
  /** Stores a copy of each entry unless a newer one is stored, in two commands. */
  readonly storeAll: (entries: readonly Entry[]) => Promise<void>
  /** Removes all entries before a complete rebuild. */
  readonly removeAll: () => Promise<void>
}

export function mongoEntries(connection: Connection): Entries {
  const collection = driverCollection<EntryDocument>(connection, entryModel(connection).collection.name)
  return {
    async storeAll(entries) {
      await storeNewer(collection, entries.map(toEntryDocument), {
        isNewer: (one, other) => one.version > other.version,
        replaceOlder,
      })
    },
    async removeAll() {
      await collection.deleteMany({})
    },
  }
}

const NO_LINE = { settlement: { $exists: false }, missing: { $exists: false } }
const HAS_LINE = { $or: [{ settlement: { $exists: true } }, { missing: { $exists: true } }] }

/** An entry that is settled, or reported as missing, does not wait for its line again. */
function replaceOlder({ _id, unsettled_since, ...fields }: EntryDocument): mongo.AnyBulkWriteOperation<EntryDocument>[] {
  const older = { _id, version: { $lt: fields.version } }
  const wait = unsettled_since
    ? { $set: { ...fields, unsettled_since } }
    : { $set: fields, $unset: { unsettled_since: '' as const } }
  return [
    { updateOne: { filter: { ...older, ...HAS_LINE }, update: { $set: fields } } },
    { updateOne: { filter: { ...older, ...NO_LINE }, update: wait } },
  ]
}
