import type { Connection, mongo } from 'mongoose'
import type { EntryKind } from '@gateway/contracts'
import { driverCollection } from '@gateway/service-kit/mongo'
import { entryKey, type Entry } from '../domain/entry.ts'
import { toEntryDocument, type EntryDocument } from './documents.ts'
import { storeNewer } from '../../common/index.ts'

/** `from` is included, `to` is not. */
export interface EntryRange {
  readonly merchantId: string
  readonly from: Date
  readonly to: Date
}

/** Reads at most `limit` entries of a merchant, by the time at which their money moved. */
export interface ReadEntries {
  readonly inAnyOrder: (range: EntryRange, limit: number) => Promise<Entry[]>
  /** In the order of their keys, those after an entry. The database sorts the whole range. */
  readonly byKey: (range: EntryRange, after: Entry | undefined, limit: number) => Promise<Entry[]>
}

/** The stored entries. */
export interface Entries {
  /** Stores a copy of each entry unless a newer one is stored. */
  readonly storeAll: (entries: readonly Entry[]) => Promise<void>
  readonly read: ReadEntries
  /** By the keys of their lines: of several with one key, the one of the named transaction, else that of the oldest. */
  readonly find: (lineKeys: readonly string[], transactions?: ReadonlyMap<string, string>) => Promise<Map<string, EntryDocument>>
  /** The transactions of all entries with these line keys. */
  readonly transactionsOf: (
    lineKeys: readonly string[],
  ) => Promise<{ readonly lineKey: string; readonly transactionId: string }[]>
  /** Those of them that are settled, each with the file that has its line. */
  readonly findSettled: (keys: readonly string[]) => Promise<{ readonly key: string; readonly file: string }[]>
  /** Notes the file whose lines belong to these entries. From then on `markMissing` leaves them as they are. */
  readonly settle: (keys: readonly string[], file: string) => Promise<void>
  /** Those of them that are marked as missing, each with the file that should have had its line. */
  readonly findMissing: (keys: readonly string[]) => Promise<{ readonly key: string; readonly file: string }[]>
  /** Takes the marks of `markMissing` away. */
  readonly forgetMissing: (keys: readonly string[]) => Promise<void>
  /** Some that wait for their line since this time or later, and since before `before`. */
  readonly waiting: (kind: EntryKind, range: { since: Date; before: Date }, limit: number) => Promise<Entry[]>
  /** Notes the file that should have had their lines; settled ones stay as they are. */
  readonly markMissing: (keys: readonly string[], file: string) => Promise<void>
  /** Removes all entries before a complete rebuild. */
  readonly removeAll: () => Promise<void>
}

export function mongoEntries(connection: Connection): Entries {
  const collection = driverCollection<EntryDocument>(connection, 'entries')
  return {
    async storeAll(entries) {
      await storeNewer(collection, entries.map(toEntryDocument), replaceOlder)
    },
    read: {
      inAnyOrder: (range, limit) => collection.find(inRange(range)).limit(limit).toArray(),
      byKey(range, after, limit) {
        const query = { ...inRange(range), _id: { $gt: after ? entryKey(after) : '' } }
        return collection.find(query).sort({ _id: 1 }).limit(limit).toArray()
      },
    },
    async find(lineKeys, transactions = new Map()) {
      if (lineKeys.length === 0) return new Map()
      const found = await collection.find({ line_key: { $in: [...lineKeys] } }).toArray()
      const isNamed = (one: EntryDocument): boolean => one.transaction_id === transactions.get(one.line_key)
      // `Map` keeps the last document of each key.
      const ranked = found.toSorted(
        (one, other) => Number(isNamed(one)) - Number(isNamed(other)) || (one._id < other._id ? 1 : -1),
      )
      return new Map(ranked.map((document) => [document.line_key, document]))
    },
    async transactionsOf(lineKeys) {
      const fields = { projection: { line_key: 1, transaction_id: 1 } } as const
      const found = await collection.find({ line_key: { $in: [...lineKeys] } }, fields).toArray()
      return found.map(({ line_key, transaction_id }) => ({ lineKey: line_key, transactionId: transaction_id }))
    },
    async findSettled(keys) {
      const found = await collection.find({ _id: { $in: [...keys] }, settlement: { $exists: true } }).toArray()
      return found.map(({ _id: key, settlement }) => ({ key, file: settlement ?? '' }))
    },
    async settle(keys, file) {
      const update = { $set: { settlement: file }, $unset: { unsettled_since: '' } } as const
      await collection.updateMany({ _id: { $in: [...keys] }, settlement: { $exists: false } }, update)
    },
    async findMissing(keys) {
      const found = await collection.find({ _id: { $in: [...keys] }, missing: { $exists: true } }).toArray()
      return found.map(({ _id: key, missing: file }) => ({ key, file: file ?? '' }))
    },
    async forgetMissing(keys) {
      await collection.updateMany({ _id: { $in: [...keys] } }, { $unset: { missing: '' } })
    },
    waiting(kind, { since, before }, limit) {
      // A partial index needs its own filter in the query (docs/adr/0005).
      const range = { $exists: true, $gte: since, $lt: before }
      return collection.find({ kind, unsettled_since: range }).limit(limit).toArray()
    },
    async markMissing(keys, file) {
      const update = { $set: { missing: file }, $unset: { unsettled_since: '' } } as const
      await collection.updateMany({ _id: { $in: [...keys] }, settlement: { $exists: false } }, update)
    },
    async removeAll() {
      await collection.deleteMany({})
    },
  }
}

function inRange({ merchantId, from, to }: EntryRange) {
  return { merchant_id: merchantId, at: { $gte: from, $lt: to } }
}

const NO_LINE = { settlement: { $exists: false }, missing: { $exists: false } }
const HAS_LINE = { $or: [{ settlement: { $exists: true } }, { missing: { $exists: true } }] }

/** An entry that is settled, or reported as missing, does not wait for its line again. */
function replaceOlder({ _id, unsettled_since, ...fields }: EntryDocument): mongo.AnyBulkWriteOperation<EntryDocument>[] {
  const older = { _id, version: { $lt: fields.version } }
  const wait = unsettled_since
    ? { $set: { ...fields, unsettled_since } }
    : { $set: fields, $unset: { unsettled_since: '' as const } }
  // In this order: an entry that gets its line between the two still gets the newer copy.
  return [
    { updateOne: { filter: { ...older, ...NO_LINE }, update: wait } },
    { updateOne: { filter: { ...older, ...HAS_LINE }, update: { $set: fields } } },
  ]
}
