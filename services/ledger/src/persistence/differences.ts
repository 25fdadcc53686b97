import type { Connection } from 'mongoose'
import { driverCollection, insertBatch } from '@gateway/service-kit/mongo'
import { DIFFERENCE_CLASSES, differenceId, type Difference, type DifferenceClass } from '../domain/difference.ts'
import { differenceModel, toDifferenceDocument, type DifferenceDocument } from './settlement-model.ts'

/** The stored differences. */
export interface Differences {
  /** A difference that is stored already stays as it is. */
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
  /** The open ones of a class, in chunks. */
  readonly open: (name: DifferenceClass) => AsyncIterable<readonly DifferenceDocument[]>
}

export interface DifferencesQuery {
  readonly file: string
  readonly class?: DifferenceClass | undefined
  readonly after?: string | undefined
  readonly limit: number
}

const CHUNK = 500

export function mongoDifferences(connection: Connection): Differences {
  const collection = driverCollection<DifferenceDocument>(connection, differenceModel(connection).collection.name)
  const rangeOf = (prefix: string, after = prefix): { $gt: string; $lt: string } => ({ $gt: after, $lt: `${prefix}~` })
  return {
    async add(differences, now) {
      const byId = new Map(differences.map((one) => [one.id, toDifferenceDocument(one, now)]))
      if (byId.size === 0) return
      const results = await insertBatch(collection, [...byId.values()])
      for (const result of results) if (result.status === 'rejected') throw result.reason
    },
    async close(ids, by, now) {
      if (ids.length === 0) return
      const closed = { status: 'closed', closed_by: by, ended_at: now } as const
      await collection.updateMany({ _id: { $in: [...ids] }, status: 'open' }, { $set: closed })
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
      const { matchedCount } = await collection.updateOne({ _id: id, status: 'open' }, { $set: resolved })
      return matchedCount === 1
    },
    async count(file) {
      const counts = DIFFERENCE_CLASSES.map(async (name): Promise<[DifferenceClass, number]> => [
        name,
        await collection.countDocuments({ _id: rangeOf(differenceId(file, name, '')) }),
      ])
      return Object.fromEntries(await Promise.all(counts)) as Record<DifferenceClass, number>
    },
    countOpen: (name) => collection.countDocuments({ class: name, status: 'open' }),
    async *open(name) {
      let some: DifferenceDocument[] = []
      for await (const one of collection.find({ class: name, status: 'open' }).batchSize(CHUNK)) {
        some.push(one)
        if (some.length < CHUNK) continue
        yield some
        some = []
      }
      yield some
    },
  }
}
