import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { eventually } from '@gateway/testkit'
import { endWithUs } from './end-with-us.ts'
import { makeEvents } from './events.ts'
import type { LimitOptions } from './limit.ts'
import { rateOf, tally, type Tally } from './statistics.ts'
import type { World } from './world.ts'

export interface Drained extends Tally {
  /** Deliveries per second, from the first acknowledgement to the last. */
  readonly rate: number
  /** CPU of the consuming process from its start to the last acknowledgement, in milliseconds per delivery. */
  readonly cpuMs: number
}

export interface Queued {
  readonly first: number
  readonly count: number
}

const DRAINED_WITHIN_MS = 120_000

/** The dispatcher empties the queue. */
export async function drainWithDispatcher(world: World, queued: Queued): Promise<Drained> {
  return drain(world, queued, async (untilDone) => {
    const dispatcher = await world.startDispatcher()
    await untilDone()
    const cpuSeconds = await dispatcher.metric('process_cpu_seconds_total')
    await dispatcher.stop()
    return (cpuSeconds * 1000) / queued.count
  })
}

/** What the parts can do empties the queue, without a record of it or with one: see `limit.ts`. */
export async function drainWithLimit(world: World, queued: Queued, { records }: { records: boolean }): Promise<Drained> {
  const { config, ca, receiver, place } = world
  const { retryDelaysMs, parkDelaysMs, prefetch, timeoutMs, amqpUrl, amqpPrefix } = config
  const options: LimitOptions = {
    ...{ amqpUrl, amqpPrefix, retryDelaysMs, parkDelaysMs, prefetch, timeoutMs, ca, urls: receiver.urls },
    ...(records && { record: { url: place.mongoUrl, name: place.database } }),
  }
  return drain(world, queued, async (untilDone) => {
    const child = fork(new URL('./limit.ts', import.meta.url))
    endWithUs(child)
    child.send(options)
    await untilDone()
    return (await endLimit(child)) / 1000 / queued.count
  })
}

/** Resolves to the CPU that it used, in microseconds. */
async function endLimit(child: ChildProcess): Promise<number> {
  const ended = once(child, 'exit')
  child.send('stop')
  const [cpuUs] = (await once(child, 'message')) as [number]
  await ended
  return cpuUs
}

async function drain(
  world: World,
  { first, count }: Queued,
  consume: (untilDone: () => Promise<void>) => Promise<number>,
): Promise<Drained> {
  const events = makeEvents(first, count, world.endpoints, new Date())
  await Promise.all(events.map((event) => world.publish(event)))
  await world.receiver.take()
  const cpuMs = await consume(async () => {
    await eventually(
      async () => {
        const { unique } = await world.receiver.progress()
        if (unique < count) throw new Error(`${unique} of ${count} webhooks were acknowledged`)
      },
      { deadlineMs: DRAINED_WITHIN_MS, pauseMs: 100 },
    )
  })
  const left = await world.waiting()
  if (left > 0) throw new Error(`${left} messages were not acknowledged to the broker`)
  const arrivals = await world.receiver.take()
  return {
    rate: rateOf(arrivals),
    cpuMs,
    ...tally(
      events.map(({ id }) => id),
      arrivals,
    ),
  }
}
