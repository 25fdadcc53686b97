import type { Connection, mongo } from 'mongoose'
import { Unavailable } from '@gateway/contracts'
import { driverCollection, indexesOfCollection, isDuplicateKey, storedIds, type OwnIndexes } from '@gateway/service-kit/mongo'
import type { RecordedWebhook } from '../../deliveries/index.ts'
import { COPY_TTL_MS, firstPosition } from '../domain/copy.ts'

/** A webhook of a payment that listening merchants get in addition to its delivery, at its place in the order of all copies. */
export interface PlacedCopy extends RecordedWebhook {
  readonly position: number
}

interface CopyDocument extends Omit<PlacedCopy, 'id'> {
  /** The event's id. */
  readonly _id: string
  readonly written_at: Date
}

export type Copies = ReturnType<typeof mongoCopies>

/** Each try loses only to another replica's batch. */
const MAX_TRIES = 20

function collectionOf(connection: Connection) {
  return driverCollection<CopyDocument>(connection, 'copies')
}

export function copyIndexes(connection: Connection): OwnIndexes {
  return indexesOfCollection(collectionOf(connection), [
    // Two replicas never give out the same position: a reader that has seen one has seen all before it.
    { name: 'position', key: { position: 1 }, unique: true },
    { name: 'of_merchant', key: { merchant_id: 1, position: 1 } },
    { name: 'retention', key: { written_at: 1 }, expireAfterSeconds: COPY_TTL_MS / 1000 },
  ])
}

export function mongoCopies(connection: Connection) {
  const copies = collectionOf(connection)
  /** A position that was the latest once: FerretDB reads a whole range before it sorts, so ranges must be short. */
  let known: number | undefined

  async function latest(): Promise<number | undefined> {
    const found = await latestOf(known === undefined ? {} : { position: { $gte: known } })
    known = found ?? known
    return found
  }

  async function latestOf(filter: mongo.Filter<CopyDocument>): Promise<number | undefined> {
    const [found] = await copies
      .find(filter, { projection: { position: 1 } })
      .sort({ position: -1 })
      .limit(1)
      .toArray()
    return found?.position
  }

  /** False when a position or an id exists; those before it are stored then. */
  async function insert(added: readonly RecordedWebhook[], from: number, now: Date): Promise<boolean> {
    try {
      await copies.insertMany(
        added.map(({ id, ...webhook }, index) => ({ _id: id, ...webhook, position: from + index, written_at: now })),
        { ordered: true },
      )
      return true
    } catch (error) {
      if (isDuplicateKey(error)) return false
      throw error
    }
  }

  /** Of these ids, those without a copy. */
  async function missing(ids: readonly string[]): Promise<string[]> {
    const stored = await storedIds(copies, ids)
    return ids.filter((id) => !stored.has(id))
  }

  return {
    missing,
    /** The position of the latest copy of any merchant; 0 when there is none. */
    latest: async (): Promise<number> => (await latest()) ?? 0,

    /** Stores copies in this order, after all that are stored; skips those that are stored already. Throws `contention`. */
    async append(added: readonly RecordedWebhook[], now: Date): Promise<void> {
      let left = added
      for (let tries = 1; left.length > 0; tries++) {
        if (tries > MAX_TRIES) throw new Unavailable('contention', 'Other replicas write copies at the same time')
        const from = ((await latest()) ?? Math.max(known ?? 0, firstPosition(now))) + 1
        if (await insert(left, from, now)) {
          known = from + left.length - 1
          return
        }
        const ids = new Set(await missing(left.map(({ id }) => id)))
        left = left.filter(({ id }) => ids.has(id))
      }
    },

    /** The merchant's copies of webhooks created since then, after a position, in their order. */
    async after(merchantId: string, since: Date, position: number, limit: number): Promise<PlacedCopy[]> {
      const filter = { merchant_id: merchantId, position: { $gt: position }, created_at: { $gte: since } }
      return (await copies.find(filter, { batchSize: limit }).sort({ position: 1 }).limit(limit).toArray()).map(toCopy)
    },
  }
}

function toCopy({ _id: id, written_at: _at, ...copy }: CopyDocument): PlacedCopy {
  return { id, ...copy }
}
