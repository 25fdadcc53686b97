import { Refused } from '@gateway/contracts'
import type { DeadFilter, DeliveryLists } from '../persistence/delivery-lists.ts'
import type { Resend } from './resend.ts'

export interface Replayed {
  readonly replayed: number
  /** Those that could not be: no endpoint, or not dead any more. */
  readonly skipped: number
}

export type ReplayDead = (filter: DeadFilter, limit: number) => Promise<Replayed>

const PARALLEL = 20

/** Replays dead deliveries, the newest first, at most `limit` of them. */
export function makeReplayDead({
  lists,
  resend,
}: {
  lists: Pick<DeliveryLists, 'dead'>
  resend: Pick<Resend, 'dead'>
}): ReplayDead {
  const replayOne = async (id: string): Promise<boolean> => {
    try {
      await resend.dead(id)
      return true
    } catch (error) {
      if (error instanceof Refused) return false
      throw error
    }
  }
  return async (filter, limit) => {
    const dead = await lists.dead(filter, { limit })
    let replayed = 0
    for (let start = 0; start < dead.length; start += PARALLEL) {
      const results = await Promise.all(dead.slice(start, start + PARALLEL).map(({ id }) => replayOne(id)))
      replayed += results.filter(Boolean).length
    }
    return { replayed, skipped: dead.length - replayed }
  }
}
