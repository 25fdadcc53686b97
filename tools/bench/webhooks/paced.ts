import { setTimeout as sleep } from 'node:timers/promises'
import type { DispatcherProcess } from './dispatcher-process.ts'
import { endpointOf, makeEvent } from './events.ts'
import type { Arrivals } from './receiver.ts'
import { percentile, tally, type Tally } from './statistics.ts'
import type { World } from './world.ts'

export interface PacedOptions {
  readonly first: number
  /** Events per second, over all endpoints. */
  readonly rate: number
  readonly seconds: number
  /** Endpoints that never answer, from the beginning of the measured time to its end. */
  readonly hanging: readonly number[]
}

/** Over the endpoints that do not hang in either run, so that two runs compare. */
export interface Paced extends Tally {
  /** Acknowledged per second of the measured time. */
  readonly rate: number
  readonly published: number
  /** From publish to acknowledgement, in milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly max: number
  /** Requests that hung. */
  readonly hung: number
  readonly memory: Memory
}

/** Resident memory of the dispatcher at three points of the measured time, in MiB. */
export interface Memory {
  readonly start: number
  readonly middle: number
  readonly end: number
}

const TICK_MS = 10
/** The same before each run, and not counted: code is compiled and connections are made. */
const WARM_UP_SECONDS = 5
/** What counts has come by then, or is lost. */
const LAST_WITHIN_MS = 30_000
/** What hung has been tried again by then: most of it waits for its breaker's next probe. */
const BACKLOG_WITHIN_MS = 60_000

/** A steady load on a dispatcher of its own. `isCounted` says which endpoints count. */
export async function runPaced(world: World, options: PacedOptions, isCounted: (endpoint: number) => boolean): Promise<Paced> {
  const { first, rate, seconds, hanging } = options
  const dispatcher = await world.startDispatcher()
  const warmUp = WARM_UP_SECONDS * rate
  const warm = await publishPaced(world, first, rate, WARM_UP_SECONDS)
  await takeUntilAcknowledged(world, [...warm.keys()], LAST_WITHIN_MS)

  await world.receiver.hang([...hanging])
  const sampling = sampleMemory(dispatcher, seconds)
  const startedAt = epochMs()
  const publishedAt = await publishPaced(world, first + warmUp, rate, seconds)
  const endedAt = epochMs()
  const counted = [...publishedAt.keys()].filter((id) => isCounted(endpointOf(id, world.endpoints)))
  const arrivals = await takeUntilAcknowledged(world, counted, LAST_WITHIN_MS)
  const { hung } = await world.receiver.progress()
  const memory = await sampling
  await world.receiver.hang([])
  // What the hanging ones did not take comes again: it must not meet the next run.
  const arrived = new Set(arrivals.ids)
  await takeUntilAcknowledged(
    world,
    [...publishedAt.keys()].filter((id) => !arrived.has(id) && !isCounted(endpointOf(id, world.endpoints))),
    BACKLOG_WITHIN_MS,
  )
  await dispatcher.stop()

  const isExpected = new Set(counted)
  const mine = arrivals.ids.map((id, index) => ({ id, at: arrivals.at[index] ?? NaN })).filter(({ id }) => isExpected.has(id))
  const latencies = firstOfEach(mine).map(({ id, at }) => at - (publishedAt.get(id) ?? NaN))
  const inTime = firstOfEach(mine).filter(({ at }) => at >= startedAt && at <= endedAt).length
  return {
    rate: (inTime * 1000) / (endedAt - startedAt),
    published: counted.length,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    max: percentile(latencies, 1),
    hung,
    memory,
    ...tally(counted, { ids: mine.map(({ id }) => id), at: [] }),
  }
}

/** Publishes in ticks without waiting for confirms; resolves to when each was published once all are confirmed. */
async function publishPaced(world: World, first: number, rate: number, seconds: number): Promise<Map<string, number>> {
  const publishedAt = new Map<string, number>()
  const confirms: Promise<void>[] = []
  const startedAt = performance.now()
  for (let sent = 0; sent < rate * seconds;) {
    const due = Math.min(Math.floor(((performance.now() - startedAt) * rate) / 1000), rate * seconds)
    for (; sent < due; sent++) {
      const event = makeEvent(first + sent, world.endpoints, new Date())
      publishedAt.set(event.id, epochMs())
      confirms.push(world.publish(event))
    }
    await sleep(TICK_MS)
  }
  await Promise.all(confirms)
  return publishedAt
}

/** Everything that was acknowledged since the last look, as soon as all of `ids` are in it, or after the deadline. */
async function takeUntilAcknowledged({ receiver }: World, ids: readonly string[], withinMs: number): Promise<Arrivals> {
  const missing = new Set(ids)
  const taken: Arrivals = { ids: [], at: [] }
  const endsAt = performance.now() + withinMs
  for (;;) {
    const { ids: more, at } = await receiver.take()
    more.forEach((id, index) => {
      missing.delete(id)
      taken.ids.push(id)
      taken.at.push(at[index] ?? NaN)
    })
    if (missing.size === 0 || performance.now() >= endsAt) return taken
    await sleep(100)
  }
}

function firstOfEach<T extends { readonly id: string }>(arrivals: readonly T[]): T[] {
  const firsts = new Map(arrivals.toReversed().map((arrival) => [arrival.id, arrival]))
  return [...firsts.values()]
}

async function sampleMemory(dispatcher: DispatcherProcess, seconds: number): Promise<Memory> {
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
