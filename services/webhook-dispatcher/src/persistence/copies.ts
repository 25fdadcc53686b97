import type { Connection, mongo } from 'mongoose'
import { Unavailable } from '@gateway/contracts'
import { driverCollection, isDuplicateKey, storedIds } from '@gateway/service-kit/mongo'
import { firstPosition, type Copy } from '../domain/copy.ts'
import { COPIES, type CopyDocument } from './copy-model.ts'

/** A copy at its place in the order of all copies. */
export interface PlacedCopy extends Copy {
  readonly position: number
}

export interface Copies {
  /** Of these ids, those without a copy. */
  missing(ids: readonly string[]): Promise<string[]>
  /** Stores copies in this order, after all that are stored; skips those that are stored already. Throws `contention`. */
  append(copies: readonly Copy[], now: Date): Promise<void>
  /** The position of the latest copy of any merchant; 0 when there is none. */
  latest(now: Date): Promise<number>
  /** The merchant's copies of webhooks created since then, after a position, in their order. */
  after(merchantId: string, since: Date, position: number, limit: number): Promise<PlacedCopy[]>
}

/** Each try loses only to another replica's batch. */
const MAX_TRIES = 20
/** At the start the latest position is looked for among this much time, then among eight times as much, and so on. */
const FIRST_LOOK_MS = 1000
const LOOK_FACTOR = 8
const LONGEST_LOOK_MS = 2 * 60 * 60 * 1000

export function mongoCopies(connection: Connection): Copies {
  const copies = driverCollection<CopyDocument>(connection, COPIES)
  /** A position that was the latest once: FerretDB reads a whole range before it sorts, so ranges must be short. */
  let known: number | undefined

  async function latest(now: Date): Promise<number | undefined> {
    const found = known === undefined ? await firstLook(now) : await latestOf({ position: { $gte: known } })
    known = found ?? known
    return found
  }

  async function firstLook(now: Date): Promise<number | undefined> {
    for (let lengthMs = FIRST_LOOK_MS; lengthMs <= LONGEST_LOOK_MS; lengthMs *= LOOK_FACTOR) {
      const found = await latestOf({ written_at: { $gte: new Date(now.getTime() - lengthMs) } })
      // A replica whose clock is ahead may have written later ones.
      if (found !== undefined) return latestOf({ position: { $gte: found } })
    }
    return latestOf({})
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
  async function insert(added: readonly Copy[], from: number, now: Date): Promise<boolean> {
    try {
      await copies.insertMany(
        added.map((copy, index) => toDocument(copy, from + index, now)),
        { ordered: true },
      )
      return true
    } catch (error) {
      if (isDuplicateKey(error)) return false
      throw error
    }
  }

  async function missing(ids: readonly string[]): Promise<string[]> {
    const stored = await storedIds(copies, ids)
    return ids.filter((id) => !stored.has(id))
  }

  return {
    missing,
    latest: async (now) => (await latest(now)) ?? 0,
    async append(added, now) {
      let left = added
      for (let tries = 1; left.length > 0; tries++) {
        if (tries > MAX_TRIES) throw new Unavailable('contention', 'Other replicas write copies at the same time')
        const from = ((await latest(now)) ?? Math.max(known ?? 0, firstPosition(now))) + 1
        if (await insert(left, from, now)) {
          known = from + left.length - 1
          return
        }
        const ids = new Set(await missing(left.map(({ id }) => id)))
        left = left.filter(({ id }) => ids.has(id))
      }
    },

    async after(merchantId, since, position, limit) {
      const filter = { merchant_id: merchantId, position: { $gt: position }, created_at: { $gte: since } }
      return (await copies.find(filter, { batchSize: limit }).sort({ position: 1 }).limit(limit).toArray()).map(toCopy)
    },
  }
}

function toDocument({ id, merchantId, sequence, body, createdAt }: Copy, position: number, now: Date): CopyDocument {
  return { _id: id, position, merchant_id: merchantId, sequence, body, created_at: createdAt, written_at: now }
}

function toCopy({ _id, position, merchant_id, sequence, body, created_at }: CopyDocument): PlacedCopy {
  return { id: _id, position, merchantId: merchant_id, sequence, body, createdAt: created_at }
}
