import type { Connection, mongo } from 'mongoose'
import { afterId, driverCollection, pagesById, PRESENT } from '@gateway/service-kit/mongo'
import { insertAbsent } from '../../common/index.ts'
import { DIFFERENCE_CLASSES, differenceId, type Difference, type DifferenceClass } from '../domain/difference.ts'

export interface DifferenceDocument extends Difference {
  /**
   * `closed`: the difference no longer exists, because of a later file or a newer entry. `resolved`: an operator has explained it.
   * Only an operator can end a duplicate or an unreadable line, since nothing later changes it.
   */
  readonly status: 'open' | 'closed' | 'resolved'
  /** Absent once the difference is closed or resolved, so that the partial index holds only open ones. */
  readonly open?: true
  readonly found_at: Date
  readonly ended_at: Date | null
  /** The file that closed it, or `late entry`. */
  readonly closed_by: string | null
  readonly resolved_by: string | null
  readonly note: string | null
}

export interface DifferencesQuery {
  readonly file: string
  readonly class?: DifferenceClass | undefined
  /** The id of the last one on the page before. */
  readonly after?: string | undefined
  readonly limit: number
}

const CHUNK = 500
const CLOSED = { open: '' } as const
const OPENED = { status: 'open', open: true, ended_at: null, closed_by: null, resolved_by: null, note: null } as const

/** The stored differences. */
export function mongoDifferences(connection: Connection) {
  const collection = driverCollection<DifferenceDocument>(connection, 'differences')
  const rangeOf = (prefix: string, after = prefix): { $gt: string; $lt: string } => ({ $gt: after, $lt: `${prefix}~` })
  return {
    /** One that is stored already is open again, with what the ledger says now; one that an operator has resolved stays so. */
    async add(differences: readonly Difference[], now: Date): Promise<void> {
      const byId = new Map(differences.map((difference) => [difference._id, { ...difference, ...OPENED, found_at: now }]))
      const stored = await insertAbsent(collection, [...byId.values()])
      if (stored.length > 0) await collection.bulkWrite(stored.map(reopen), { ordered: false })
    },
    /** Closes those of them that are open. */
    async close(ids: readonly string[], by: string, now: Date): Promise<void> {
      if (ids.length === 0) return
      const closed = { status: 'closed', closed_by: by, ended_at: now } as const
      await collection.updateMany({ _id: { $in: [...ids] }, status: 'open' }, { $set: closed, $unset: CLOSED })
    },
    /** In the order of their ids. */
    page({ file, class: name, after, limit }: DifferencesQuery): Promise<DifferenceDocument[]> {
      const prefix = name === undefined ? `${file}:` : differenceId(file, name, '')
      const start = after !== undefined && after > prefix ? after : prefix
      return collection
        .find({ _id: rangeOf(prefix, start) })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray()
    },
    find: (id: string): Promise<DifferenceDocument | null> => collection.findOne({ _id: id }),
    /** False when it is not open. */
    async resolve(id: string, { by, note, now }: { by: string; note: string; now: Date }): Promise<boolean> {
      const resolved = { status: 'resolved', resolved_by: by, note, ended_at: now } as const
      const { matchedCount } = await collection.updateOne({ _id: id, status: 'open' }, { $set: resolved, $unset: CLOSED })
      return matchedCount === 1
    },
    /** The differences of a file by class, in any status. */
    async count(file: string): Promise<Record<DifferenceClass, number>> {
      const counts = DIFFERENCE_CLASSES.map(async (name): Promise<[DifferenceClass, number]> => [
        name,
        await collection.countDocuments({ _id: rangeOf(differenceId(file, name, '')) }),
      ])
      return Object.fromEntries(await Promise.all(counts)) as Record<DifferenceClass, number>
    },
    countOpen: (name: DifferenceClass): Promise<number> => collection.countDocuments({ class: name, open: PRESENT }),
    /** Those of `missing_at_bank` that are open or resolved, in chunks. Reads the whole collection. */
    allMissing(): AsyncIterable<readonly DifferenceDocument[]> {
      const filter = { class: 'missing_at_bank', status: { $in: ['open', 'resolved'] } } as const
      return pagesById(CHUNK, (after) => collection.find({ ...filter, ...afterId(after) }))
    },
  }
}

function reopen({ _id, ours }: DifferenceDocument): mongo.AnyBulkWriteOperation<DifferenceDocument> {
  const $set = { ours, status: 'open', open: true, ended_at: null, closed_by: null } as const
  return { updateOne: { filter: { _id, status: { $in: ['open', 'closed'] } }, update: { $set } } }
}
