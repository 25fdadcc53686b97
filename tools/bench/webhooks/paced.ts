import { setTimeout as sleep } from 'node:timers/promises'
import { runPaced } from '@gateway-tools/load/pacing'
import { untilSettled } from '@gateway-tools/load/receiver'
import type { ServiceProcess } from '@gateway-tools/load/service-process'
import { firstArrivals, summarize, tally, type Arrival } from '@gateway-tools/load/statistics'
import { endpointOf, makeEvent } from './events.ts'
import type { World } from './world.ts'

export type Steady = Awaited<ReturnType<typeof runSteady>>

/** Before each run, not counted: code is compiled and connections are made. */
export const WARM_UP_SECONDS = 5
const MAX_UNCONFIRMED = 50_000
/** Webhooks that count have arrived by then, or are lost. */
const LAST_WITHIN_MS = 30_000
/** Webhooks that hung were tried again by then: most of them wait for the circuit breaker's next probe. */
const BACKLOG_WITHIN_MS = 60_000

/**
 * A steady load on a dispatcher of its own: `rate` events per second over all endpoints, numbered from `first`. `hanging` endpoints never
 * answer in the measured time. `isCounted` says which endpoints count: those that hang in no run, so that runs compare.
 */
export async function runSteady(
  world: World,
  { first, rate, seconds, hanging }: { first: number; rate: number; seconds: number; hanging: readonly number[] },
  isCounted: (endpoint: number) => boolean,
) {
  const isCountedEvent = (id: string): boolean => isCounted(endpointOf(id, world.endpoints))
  const dispatcher = await world.startDispatcher()
  const warm = await publishPaced(world, first, rate, WARM_UP_SECONDS)
  await takeUntilSettled(world, [...warm.keys()], LAST_WITHIN_MS)

  await world.receiver.call('hang', hanging)
  const sampling = sampleMemory(dispatcher, seconds)
  const startedAt = epochMs()
  const publishedAt = await publishPaced(world, first + WARM_UP_SECONDS * rate, rate, seconds)
  const endedAt = epochMs()
  const counted = [...publishedAt.keys()].filter(isCountedEvent)
  const arrivals = await takeUntilSettled(world, counted, LAST_WITHIN_MS)
  const { hung } = await world.receiver.call('counts')
  const memory = await sampling
  await world.receiver.call('hang', [])
  // Webhooks of the hanging endpoints are sent again: they must not meet the next run.
  const arrived = firstArrivals(arrivals)
  const late = [...publishedAt.keys()].filter((id) => !arrived.has(id) && !isCountedEvent(id))
  await takeUntilSettled(world, late, BACKLOG_WITHIN_MS)
  await dispatcher.stop()

  const expected = new Set(counted)
  const mine = arrivals.filter(([id]) => expected.has(id))
  const firsts = [...firstArrivals(mine)]
  const waits = firsts.map(([id, at]) => {
    const published = publishedAt.get(id) ?? NaN
    return { second: Math.floor((published - startedAt) / 1000), ms: at - published }
  })
  const inTime = firsts.filter(([, at]) => at >= startedAt && at <= endedAt).length
  const perSecond = Map.groupBy(waits, ({ second }) => second)
  return {
    /** From publish to acknowledgement, in milliseconds. */
    ...summarize(waits.map(({ ms }) => ms)),
    /** The p99 of each second, by publish time. A stall of the disk affects few of them. */
    p99BySecond: [...perSecond.values()].map((each) => summarize(each.map(({ ms }) => ms)).p99),
    /** Requests that hung. */
    hung,
    memory,
    ...tally(counted, mine),
    /** Acknowledged per second of the measured time. */
    rate: (inTime * 1000) / (endedAt - startedAt),
  }
}

/** Does not wait for confirms; resolves to when each event was published once all are confirmed. */
async function publishPaced(world: World, first: number, rate: number, seconds: number): Promise<Map<string, number>> {
  const publishedAt = new Map<string, number>()
  const pace = { perSecond: rate, durationMs: seconds * 1000, maxWaiting: MAX_UNCONFIRMED }
  await runPaced(pace, (index) => {
    const event = makeEvent(first + index, world.endpoints)
    publishedAt.set(event.id, epochMs())
    return world.publish(event)
  })
  return publishedAt
}

/** Every arrival since the last look, as soon as all of `ids` have arrived, or after the deadline. */
async function takeUntilSettled({ receiver }: World, ids: readonly string[], withinMs: number): Promise<readonly Arrival[]> {
  await untilSettled(receiver, ids, withinMs)
  return receiver.call('take')
}

/** Resident memory of the dispatcher at three points of the measured time, in MiB. */
async function sampleMemory(dispatcher: ServiceProcess, seconds: number) {
  const mebibytes = async () => Math.round((await dispatcher.metric('process_resident_memory_bytes')) / 2 ** 20)
  const half = (seconds * 1000) / 2
  const start = await mebibytes()
  await sleep(half)
  const middle = await mebibytes()
  await sleep(half)
  return { start, middle, end: await mebibytes() }
}

function epochMs(): number {
  return performance.timeOrigin + performance.now()
}
