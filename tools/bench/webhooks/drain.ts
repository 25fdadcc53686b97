import { processorMs } from '@gateway-infra/system/processes'
import { openProgram } from '@gateway-tools/load/program'
import { untilSettled } from '@gateway-tools/load/receiver'
import { arrivalsPerSecond, tally } from '@gateway-tools/load/statistics'
import { makeEvents } from './events.ts'
import type { LimitFunctions } from './limit.ts'
import { expectEmptyQueue, type World } from './world.ts'

export type Drained = Awaited<ReturnType<typeof drain>>

/** The events that are in the queue before anything consumes them. */
export interface Queued {
  readonly first: number
  readonly count: number
}

const DRAINED_WITHIN_MS = 120_000

/** The dispatcher empties the queue: this checkout's, or that of another one. */
export async function drainWithDispatcher(world: World, queued: Queued, checkout?: string): Promise<Drained> {
  return drain(world, queued, async (untilDone) => {
    const dispatcher = await world.startDispatcher(checkout)
    await untilDone()
    const cpuSeconds = await dispatcher.metric('process_cpu_seconds_total')
    await dispatcher.stop()
    return cpuSeconds * 1000
  })
}

/** What the parts can do empties the queue, with a record of each delivery or without: see `limit.ts`. */
export async function drainWithLimit(world: World, queued: Queued, { records }: { records: boolean }): Promise<Drained> {
  const { retryDelaysMs, parkDelaysMs, prefetch, timeoutMs, amqpUrl, amqpPrefix, extraCa, mongoUrl, database } = world.config
  const rules = { retryDelaysMs, parkDelaysMs, prefetch, timeoutMs }
  const options = { ...rules, amqpUrl, amqpPrefix, extraCa, mongoUrl, database, urls: world.receiver.urls, records }
  return drain(world, queued, async (untilDone) => {
    const program = openProgram<LimitFunctions>(`${import.meta.dirname}/limit.ts`)
    await program.call('start', options)
    await untilDone()
    const cpuMs = await program.call('stop')
    await program.close()
    return cpuMs
  })
}

/**
 * Deliveries per second, from the first acknowledgement to the last, and milliseconds of CPU for each: of the consuming process, and of
 * database and broker.
 *
 * @param consume resolves to the CPU of the consuming process from its start to the last acknowledgement, in milliseconds
 */
async function drain(world: World, { first, count }: Queued, consume: (untilDone: () => Promise<unknown>) => Promise<number>) {
  const events = makeEvents(first, count, world.endpoints)
  const ids = events.map(({ id }) => id)
  await Promise.all(events.map((event) => world.publish(event)))
  await world.receiver.call('take')
  const enginesBeforeMs = processorMs(world.enginePids)
  const cpuMs = await consume(() => untilSettled(world.receiver, ids, DRAINED_WITHIN_MS))
  const enginesMs = world.enginePids.length > 0 ? processorMs(world.enginePids) - enginesBeforeMs : NaN
  await expectEmptyQueue(world)
  const arrivals = await world.receiver.call('take')
  return { rate: arrivalsPerSecond(arrivals), cpuMs: cpuMs / count, enginesCpuMs: enginesMs / count, ...tally(ids, arrivals) }
}
