import type { TransactionStatusChanged } from '@gateway/contracts'
import { eventually } from '@gateway/testkit'
import type { DispatcherProcess } from '../dispatcher-process.ts'
import { makeEvents } from '../events.ts'
import { tally, type Tally } from '../statistics.ts'
import type { World } from '../world.ts'

export interface Survived extends Tally {
  readonly events: readonly TransactionStatusChanged[]
  /** Acknowledged at the moment of the fault. */
  readonly before: number
  /** Attempts by each of the two, as far as it lived to tell. */
  readonly shares: readonly number[]
  /** Records that say `delivered`. */
  readonly recorded: number
  readonly seconds: number
}

/** What happens in the middle; `dispatchers` are the two that share the work. */
export type Fault = (dispatchers: readonly [DispatcherProcess, DispatcherProcess]) => Promise<void>

/** The sweep wakes what a dead replica had claimed, two minutes after its claim has ended. */
const ACKNOWLEDGED_WITHIN_MS = 240_000

/** Two dispatchers deliver `count` queued events, and the fault happens when they have made a third of them. */
export async function survive(world: World, { first, count }: { first: number; count: number }, fault: Fault): Promise<Survived> {
  const events = makeEvents(first, count, world.endpoints, new Date())
  await Promise.all(events.map((event) => world.publish(event)))
  await world.receiver.take()
  const startedAt = performance.now()
  const dispatchers = await Promise.all([world.startDispatcher(), world.startDispatcher()])
  const before = await untilAcknowledged(world, Math.floor(count / 3))
  // The one that may be killed cannot be asked afterwards.
  const early = await attemptsOf(dispatchers)
  await fault(dispatchers)
  await untilAcknowledged(world, count)
  const seconds = (performance.now() - startedAt) / 1000
  const recorded = await untilRecorded(world, events)
  const late = await attemptsOf(dispatchers)
  await Promise.all(dispatchers.map((dispatcher) => dispatcher.stop()))
  const left = await world.waiting()
  if (left > 0) throw new Error(`${left} messages were not acknowledged to the broker`)
  const shares = late.map((attempts, index) => attempts ?? early[index] ?? 0)
  const counted = tally(
    events.map(({ id }) => id),
    await world.receiver.take(),
  )
  return { events, before, shares, recorded, seconds, ...counted }
}

async function untilAcknowledged({ receiver }: World, count: number): Promise<number> {
  return eventually(
    async () => {
      const { unique } = await receiver.progress()
      if (unique < count) throw new Error(`${unique} of ${count} webhooks were acknowledged`)
      return unique
    },
    { deadlineMs: ACKNOWLEDGED_WITHIN_MS },
  )
}

/** The record comes after the acknowledgement. */
async function untilRecorded({ place }: World, events: readonly TransactionStatusChanged[]): Promise<number> {
  const records = place.client.db(place.database).collection<{ _id: string; status: string }>('deliveries')
  const _id = { $in: events.map(({ id }) => id) }
  return eventually(
    async () => {
      const recorded = await records.countDocuments({ _id, status: 'delivered' })
      if (recorded < events.length) throw new Error(`${recorded} of ${events.length} deliveries are recorded`)
      return recorded
    },
    { deadlineMs: ACKNOWLEDGED_WITHIN_MS, pauseMs: 200 },
  )
}

function attemptsOf(dispatchers: readonly DispatcherProcess[]): Promise<(number | undefined)[]> {
  return Promise.all(dispatchers.map((one) => one.metric('webhook_attempts_total').catch(() => undefined)))
}
