import type { Delivery } from '../src/deliveries/domain/delivery.ts'
import { withAttempt } from '../src/deliveries/domain/delivery.ts'
import { isAcknowledged } from '../src/sending/result.ts'
import type { Deliveries } from '../src/deliveries/persistence/deliveries.ts'
import type { DeliveryLists } from '../src/deliveries/persistence/delivery-lists.ts'

interface Stored {
  delivery: Delivery
  claimedUntil: Date
  resendUrl: string | null
}

const UNCLAIMED = new Date(0)

/**
 * The guards of the deliveries collection in memory. Each change is one step, with `turn` before and after it, so that a test
 * decides what happens in between.
 */
export function memoryDeliveries(turn: () => Promise<unknown>) {
  const stored = new Map<string, Stored>()
  const change = async <T>(decide: () => T): Promise<T> => {
    await turn()
    const result = decide()
    await turn()
    return result
  }
  /** Open, with attempt number `attempt` as the next one. */
  const openAt = (id: string, attempt: number): Stored | undefined => {
    const found = stored.get(id)
    return found?.delivery.state.status === 'retrying' && found.delivery.attempt_count === attempt - 1 ? found : undefined
  }

  const deliveries: Deliveries = {
    insert: (delivery, claimedUntil?: Date) =>
      change(() => {
        if (stored.has(delivery.id)) return false
        stored.set(delivery.id, { delivery, claimedUntil: claimedUntil ?? UNCLAIMED, resendUrl: null })
        return true
      }),
    claim: ({ id }, attempt, { now, until }) =>
      change(() => {
        const found = openAt(id, attempt)
        if (!found || found.claimedUntil > now) return undefined
        found.claimedUntil = until
        return found.delivery
      }),
    renewClaim: ({ id }, attempt, held, { until }) =>
      change(() => {
        const found = openAt(id, attempt)
        if (found?.claimedUntil.getTime() !== held.until.getTime()) return undefined
        found.claimedUntil = until
        return found.delivery
      }),
    record: ({ id }, attempt, decision, { now, claimedUntil }) =>
      change(() => {
        const found = openAt(id, attempt.number)
        if (found?.claimedUntil.getTime() !== claimedUntil.getTime()) {
          const other = stored.get(id)
          if (!other || !isAcknowledged(attempt) || other.delivery.state.status === 'delivered') return 'lost'
          if (other.resendUrl !== null || other.delivery.round_start >= attempt.number) return 'lost'
          const attemptCount = Math.max(other.delivery.attempt_count, attempt.number)
          other.delivery = { ...withAttempt(other.delivery, attempt, decision), attempt_count: attemptCount }
          other.claimedUntil = UNCLAIMED
          return 'recorded'
        }
        const { resendUrl } = found
        found.delivery = withAttempt(found.delivery, attempt, decision)
        found.claimedUntil = UNCLAIMED
        found.resendUrl = null
        if (resendUrl === null) return 'recorded'
        const state = { status: 'retrying', next_attempt_at: now } as const
        found.delivery = { ...found.delivery, state, url: resendUrl, round_start: attempt.number }
        return { resendTo: resendUrl }
      }),
    find: (id) => change(() => stored.get(id)?.delivery),
    reopen: (delivery, url, now) =>
      change(() => {
        const found = stored.get(delivery.id)
        if (!found || found.claimedUntil > now || found.delivery.attempt_count !== delivery.attempt_count) return false
        if (found.delivery.state.status !== delivery.state.status) return false
        const roundStart = delivery.state.status === 'retrying' ? delivery.round_start : delivery.attempt_count
        found.delivery = { ...found.delivery, state: { status: 'retrying', next_attempt_at: now }, url, round_start: roundStart }
        found.resendUrl = null
        return true
      }),
    resendAfterRunning: ({ id, attempt_count: attemptCount }, url, now) =>
      change(() => {
        const found = openAt(id, attemptCount + 1)
        if (!found || found.claimedUntil <= now) return false
        found.resendUrl = url
        return true
      }),
  }

  const lists: Pick<DeliveryLists, 'overdue' | 'takeOverdue'> = {
    // All open deliveries, overdue or not: the guards must hold even when the sweep is wrong about the time.
    overdue: (_before, now) =>
      change(() =>
        [...stored.values()]
          .filter((one) => one.delivery.state.status === 'retrying' && one.claimedUntil <= now)
          .map((one) => one.delivery),
      ),
    takeOverdue: (delivery) => change(() => openAt(delivery.id, delivery.attempt_count + 1) !== undefined),
  }
  return { deliveries, lists, all: (): Delivery[] => [...stored.values()].map(({ delivery }) => delivery) }
}
