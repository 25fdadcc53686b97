import type { TransactionStatusChanged } from '@gateway/contracts'
import { eventually } from '@gateway/testkit'
import { untilSettled } from '@gateway-tools/load/receiver'
import type { ServiceProcess } from '@gateway-tools/load/service-process'
import { tally, type Tally } from '@gateway-tools/load/statistics'
import { makeEvents } from '../events.ts'
import { expectEmptyQueue, type World } from '../world.ts'

export interface Survived extends Tally {
  readonly events: readonly TransactionStatusChanged[]
  /** Acknowledged at the moment of the fault. */
  readonly before: number
  /** Attempts by each of the two; of a killed one, those before the fault. */
  readonly shares: readonly number[]
  /** Records that say `delivered`. */
  readonly recorded: number
  readonly seconds: number
}

/** What happens in the middle; `dispatchers` are the two that share the work. */
export type Fault = (dispatchers: readonly [ServiceProcess, ServiceProcess]) => Promise<void>

/** The sweep takes over the claims of a dead replica two minutes after they have ended. */
const ACKNOWLEDGED_WITHIN_MS = 240_000

/** Two dispatchers deliver `count` queued events; the fault happens when a third of them are acknowledged. */
export async function survive(world: World, { first, count }: { first: number; count: number }, fault: Fault): Promise<Survived> {
  const events = makeEvents(first, count, world.endpoints)
  const ids = events.map(({ id }) => id)
  await Promise.all(events.map((event) => world.publish(event)))
  await world.receiver.call('take')
  const startedAt = performance.now()
  const dispatchers = await Promise.all([world.startDispatcher(), world.startDispatcher()])
  const before = await untilAThird(world, count)
  // A killed one cannot be asked afterwards.
  const early = await attemptsOf(dispatchers)
  await fault(dispatchers)
  await untilSettled(world.receiver, ids, ACKNOWLEDGED_WITHIN_MS)
  const seconds = (performance.now() - startedAt) / 1000
  const recorded = await untilRecorded(world, ids)
  const late = await attemptsOf(dispatchers)
  await Promise.all(dispatchers.map((dispatcher) => dispatcher.stop()))
  await expectEmptyQueue(world)
  const shares = late.map((attempts, index) => attempts ?? early[index] ?? 0)
  return { events, before, shares, recorded, seconds, ...tally(ids, await world.receiver.call('take')) }
}

/** Resolves to how many webhooks were acknowledged. */
function untilAThird({ receiver }: World, count: number): Promise<number> {
  return eventually(
    async () => {
      const { unique } = await receiver.call('counts')
      if (unique < Math.floor(count / 3)) throw new Error(`${unique} of ${count} webhooks were acknowledged`)
      return unique
    },
    { deadlineMs: ACKNOWLEDGED_WITHIN_MS, pauseMs: 50 },
  )
}

/** The record comes after the acknowledgement. */
async function untilRecorded({ database }: World, ids: string[]): Promise<number> {
  const records = database.collection<{ _id: string; status: string }>('deliveries')
  return eventually(
    async () => {
      const recorded = await records.countDocuments({ _id: { $in: ids }, status: 'delivered' })
      if (recorded < ids.length) throw new Error(`${recorded} of ${ids.length} deliveries are recorded`)
      return recorded
    },
    { deadlineMs: ACKNOWLEDGED_WITHIN_MS, pauseMs: 200 },
  )
}

function attemptsOf(dispatchers: readonly ServiceProcess[]): Promise<(number | undefined)[]> {
  return Promise.all(dispatchers.map((one) => one.metric('webhook_attempts_total').catch(() => undefined)))
}
