import type { Connection, mongo } from 'mongoose'
import { driverCollection } from '@gateway/service-kit/mongo'
import { insertAbsent } from '../../common/index.ts'
import { DIFFERENCE_CLASSES, differenceId, type Difference, type DifferenceClass } from '../domain/difference.ts'
import type { DifferenceDocument } from './documents.ts'

/** The stored differences. */
export interface Differences {
  /** One that is stored already is open again, with what the ledger says now; one that an operator has resolved stays so. */
  readonly add: (differences: readonly Difference[], now: Date) => Promise<void>
  /** Closes those of them that are open. */
  readonly close: (ids: readonly string[], by: string, now: Date) => Promise<void>
  /** In the order of their ids, those after one. */
  readonly page: (query: DifferencesQuery) => Promise<DifferenceDocument[]>
  readonly find: (id: string) => Promise<DifferenceDocument | undefined>
  /** False when it is not open. */
  readonly resolve: (id: string, resolution: { by: string; note: string; now: Date }) => Promise<boolean>
  /** The differences of a file by class, whatever their status. */
  readonly count: (file: string) => Promise<Record<DifferenceClass, number>>
  readonly countOpen: (name: DifferenceClass) => Promise<number>
  /** Those of `missing_at_bank` that are open or resolved, in chunks. Reads the whole collection. */
  readonly allMissing: () => AsyncIterable<readonly DifferenceDocument[]>
}

export interface DifferencesQuery {
  readonly file: string
  readonly class?: DifferenceClass | undefined
  readonly after?: string | undefined
  readonly limit: number
}

const CHUNK = 500
/** The filter of the partial index (docs/adr/0005). */
const OPEN = { $exists: true } as const
const CLOSED = { open: '' } as const
const OPENED = { status: 'open', open: true, ended_at: null, closed_by: null, resolved_by: null, note: null } as const

export function mongoDifferences(connection: Connection): Differences {
  const collection = driverCollection<DifferenceDocument>(connection, 'differences')
  const rangeOf = (prefix: string, after = prefix): { $gt: string; $lt: string } => ({ $gt: after, $lt: `${prefix}~` })
  return {
    async add(differences, now) {
      const byId = new Map(differences.map((difference) => [difference._id, { ...difference, ...OPENED, found_at: now }]))
      const stored = await insertAbsent(collection, [...byId.values()])
      if (stored.length > 0) await collection.bulkWrite(stored.map(reopen), { ordered: false })
    },
    async close(ids, by, now) {
      if (ids.length === 0) return
      const closed = { status: 'closed', closed_by: by, ended_at: now } as const
      await collection.updateMany({ _id: { $in: [...ids] }, status: 'open' }, { $set: closed, $unset: CLOSED })
    },
    page({ file, class: name, after, limit }) {
      const prefix = name === undefined ? `${file}:` : differenceId(file, name, '')
      const start = after !== undefined && after > prefix ? after : prefix
      return collection
        .find({ _id: rangeOf(prefix, start) })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray()
    },
    async find(id) {
      return (await collection.findOne({ _id: id })) ?? undefined
    },
    async resolve(id, { by, note, now }) {
      const resolved = { status: 'resolved', resolved_by: by, note, ended_at: now } as const
      const { matchedCount } = await collection.updateOne({ _id: id, status: 'open' }, { $set: resolved, $unset: CLOSED })
      return matchedCount === 1
    },
    async count(file) {
      const counts = DIFFERENCE_CLASSES.map(async (name): Promise<[DifferenceClass, number]> => [
        name,
        await collection.countDocuments({ _id: rangeOf(differenceId(file, name, '')) }),
      ])
      return Object.fromEntries(await Promise.all(counts)) as Record<DifferenceClass, number>
    },
    countOpen: (name) => collection.countDocuments({ class: name, open: OPEN }),
    async *allMissing() {
      let some: DifferenceDocument[] = []
      const filter = { class: 'missing_at_bank', status: { $in: ['open', 'resolved'] } } as const
      for await (const one of collection.find(filter).batchSize(CHUNK)) {
        some.push(one)
        if (some.length < CHUNK) continue
        yield some
        some = []
      }
      yield some
    },
  }
}

function reopen({ _id, ours }: DifferenceDocument): mongo.AnyBulkWriteOperation<DifferenceDocument> {
  const $set = { ours, status: 'open', open: true, ended_at: null, closed_by: null } as const
  return { updateOne: { filter: { _id, status: { $in: ['open', 'closed'] } }, update: { $set } } }
}
