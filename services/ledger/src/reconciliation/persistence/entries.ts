import type { Connection, mongo } from 'mongoose'
import type { EntryKind } from '@gateway/contracts'
import { driverCollection, PRESENT } from '@gateway/service-kit/mongo'
import { storeNewer } from '../../common/index.ts'
import { entryKey, lineKey, type Entry } from '../domain/entry.ts'

/** `_id` is `<kind>:<reference>:<transaction>`. */
interface EntryDocument extends Entry {
  readonly _id: string
  /** `<kind>:<reference>`, the key of its line in a settlement file. */
  readonly line_key: string
  /** The settlement file that has this entry's line. */
  readonly settlement?: string
  /** The settlement file whose import reported the entry as missing at the bank. */
  readonly missing?: string
  /** When the money moved. Absent once the entry is settled or reported as missing. */
  readonly unsettled_since?: Date
}

/** The document of an entry before any settlement file has a line for it. */
export function toEntryDocument(entry: Entry): EntryDocument {
  const waits = entry.status === 'succeeded' ? { unsettled_since: entry.at } : {}
  return { _id: entryKey(entry), line_key: lineKey(entry), ...entry, ...waits }
}

/** `from` is included, `to` is not. */
export interface EntryRange {
  readonly merchantId: string
  readonly from: Date
  readonly to: Date
}

/** A settlement file is named by `settlement` when it has the entry's line, and by `missing` when it should have had it. */
type Mark = 'settlement' | 'missing'

export type Entries = ReturnType<typeof mongoEntries>
export type ReadEntries = Entries['read']

/** The stored entries. */
export function mongoEntries(connection: Connection) {
  const collection = driverCollection<EntryDocument>(connection, 'entries')
  return {
    /** Stores a copy of each entry unless a newer one is stored. */
    storeAll: (entries: readonly Entry[]): Promise<void> => storeNewer(collection, entries.map(toEntryDocument), replaceOlder),
    /** Reads at most `limit` entries of a merchant, by the time at which their money moved. */
    read: {
      inAnyOrder: (range: EntryRange, limit: number): Promise<Entry[]> => collection.find(inRange(range)).limit(limit).toArray(),
      /** In the order of their keys, those after an entry. The database sorts the whole range. */
      byKey(range: EntryRange, after: Entry | undefined, limit: number): Promise<Entry[]> {
        const query = { ...inRange(range), _id: { $gt: after ? entryKey(after) : '' } }
        return collection.find(query).sort({ _id: 1 }).limit(limit).toArray()
      },
    },
    /** By the keys of their lines: of several with one key, the one of the named transaction, else that of the oldest. */
    async find(
      lineKeys: readonly string[],
      transactions: ReadonlyMap<string, string> = new Map(),
    ): Promise<Map<string, EntryDocument>> {
      if (lineKeys.length === 0) return new Map()
      const found = await collection.find({ line_key: { $in: [...lineKeys] } }).toArray()
      const isNamed = (one: EntryDocument): boolean => one.transaction_id === transactions.get(one.line_key)
      // `Map` keeps the last document of each key.
      const ranked = found.toSorted(
        (one, other) => Number(isNamed(one)) - Number(isNamed(other)) || (one._id < other._id ? 1 : -1),
      )
      return new Map(ranked.map((document) => [document.line_key, document]))
    },
    /** The transactions of all entries with these line keys. */
    async transactionsOf(lineKeys: readonly string[]): Promise<{ lineKey: string; transactionId: string }[]> {
      const fields = { projection: { line_key: 1, transaction_id: 1 } } as const
      const found = await collection.find({ line_key: { $in: [...lineKeys] } }, fields).toArray()
      return found.map(({ line_key, transaction_id }) => ({ lineKey: line_key, transactionId: transaction_id }))
    },
    /** Marks them with a file, so that they wait for their line no longer. Settled ones stay as they are. */
    async mark(mark: Mark, keys: readonly string[], file: string): Promise<void> {
      const update = { $set: { [mark]: file }, $unset: { unsettled_since: '' } } as const
      await collection.updateMany({ _id: { $in: [...keys] }, settlement: { $exists: false } }, update)
    },
    /** Those of them that have the mark, each with the file that it names. */
    async marked(mark: Mark, keys: readonly string[]): Promise<{ key: string; file: string }[]> {
      const found = await collection.find({ _id: { $in: [...keys] }, [mark]: PRESENT }).toArray()
      return found.map((entry) => ({ key: entry._id, file: entry[mark] ?? '' }))
    },
    async forgetMissing(keys: readonly string[]): Promise<void> {
      await collection.updateMany({ _id: { $in: [...keys] } }, { $unset: { missing: '' } })
    },
    /** Some that wait for their line since `since` or later, and since before `before`. */
    waiting(kind: EntryKind, { since, before }: { since: Date; before: Date }, limit: number): Promise<Entry[]> {
      return collection
        .find({ kind, unsettled_since: { ...PRESENT, $gte: since, $lt: before } })
        .limit(limit)
        .toArray()
    },
    /** Removes all entries before a complete rebuild. */
    async removeAll(): Promise<void> {
      await collection.deleteMany({})
    },
  }
}

function inRange({ merchantId, from, to }: EntryRange) {
  return { merchant_id: merchantId, at: { $gte: from, $lt: to } }
}

const NO_LINE = { settlement: { $exists: false }, missing: { $exists: false } }
const HAS_LINE = { $or: [{ settlement: PRESENT }, { missing: PRESENT }] }

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
