import { setTimeout as sleep } from 'node:timers/promises'
import { mongo } from 'mongoose'
import { cpuBetween, readCpu } from '../cpu.ts'
import { warmUpPayments } from '../end-to-end.ts'
import { eventIds, settle } from '../settle.ts'
import type { Bench } from '../stack.ts'
import { growthOf, eachSection, perSecond, perUnit, type Counters, type Interval, type Readings } from './counters.ts'
import { measureDocuments } from './documents.ts'
import { readPostgres, TOLD_WITHIN_MS } from './postgres.ts'
import { readDiskWrites } from './process-io.ts'
import { findPostgres, readCommands, readEvents } from './readings.ts'
import { watchWire, type Wire } from './wire.ts'

export interface CostResult {
  /** Of a system that has nothing to do, per second: one replica of everything. */
  readonly idle: Readings
  /** Per payment, at each rate: create, pay by UPI, both webhooks acknowledged. */
  readonly payments: readonly PaymentCost[]
  /** Per search, most of them the first one of their order. */
  readonly search: Readings
  /** BSON of one payment that is over, by collection. */
  readonly documentBytes: Counters
}

export interface PaymentCost {
  readonly perSecond: number
  readonly count: number
  /** Events that did not arrive, and calls that were refused: the run counts only without any. */
  readonly missing: number
  /** By reason. */
  readonly refused: Readonly<Record<string, number>>
  readonly each: Readings
}

const PATIENCE_MS = 30_000
const SEARCHERS = 4
/** Well within the seconds for which a connection that nobody uses stays open. */
const LOOK_EVERY_MS = 1500

/** What one payment takes, of everything that can be counted, beside what the system takes by itself. */
export async function benchCost(bench: Bench, rates: readonly number[], durationMs: number): Promise<CostResult> {
  const client = await new mongo.MongoClient(bench.stack.mongo_url).connect()
  try {
    await warmUpPayments(bench)
    const meter = await openMeter(bench, client)
    // What the warm-up did is counted late, and is not what an idle system does.
    await meter.during(() => Promise.resolve())
    const idle = await meter.during(() => Promise.resolve())
    const payments: PaymentCost[] = []
    let paidIds: readonly string[] = []
    for (const perSecondAsked of rates) {
      const paid = await payPaced(bench, meter, idle.interval, { perSecond: perSecondAsked, durationMs })
      payments.push(paid.cost)
      paidIds = paid.paidIds
    }
    const { interval, done } = await meter.during(() =>
      bench.load.call({ kind: 'search', concurrency: SEARCHERS, durationMs: durationMs / 2 }),
    )
    const search = perUnit(interval, idle.interval, done.latenciesMs.length)
    const documentBytes = await measureDocuments(client, bench.databasePrefix, paidIds)
    return { idle: perSecond(idle.interval), payments, search, documentBytes }
  } finally {
    await client.close()
  }
}

async function payPaced(
  bench: Bench,
  meter: Meter,
  idle: Interval,
  rate: { readonly perSecond: number; readonly durationMs: number },
): Promise<{ cost: PaymentCost; paidIds: readonly string[] }> {
  await bench.receiver.call({ kind: 'take' })
  const { interval, done } = await meter.during(async () => {
    const load = await bench.load.call({ kind: 'pay', ...rate })
    const settled = await settle(bench, [...eventIds(load.transactionIds, 1), ...eventIds(load.paidIds, 2)], PATIENCE_MS)
    return { load, settled }
  })
  const { load, settled } = done
  const count = load.paidIds.length
  const refused = load.notSent === 0 ? load.refused : { ...load.refused, 'not sent': load.notSent }
  const each = perUnit(interval, idle, count)
  return { cost: { perSecond: rate.perSecond, count, missing: settled.missing.length, refused, each }, paidIds: load.paidIds }
}

interface Meter {
  /** What is counted while it runs, and until all of it has been counted. */
  during<T>(work: () => Promise<T>): Promise<{ readonly done: T; readonly interval: Interval }>
}

async function openMeter({ stack, groups, databasePrefix }: Bench, client: mongo.MongoClient): Promise<Meter> {
  const [postgres, wire] = [findPostgres(stack), await watchWire(groups)]
  await wire?.sample()

  async function read(): Promise<Readings> {
    const tables = postgres ? await readPostgres(postgres, databasePrefix) : { written: {}, stored: {}, log: {} }
    const [commands, events] = [await readCommands(client), await readEvents(stack)]
    const readings: Partial<Readings> = { ...tables, commands, events, wire: { ...wire?.totals }, disk: readDiskWrites(groups) }
    return eachSection((section) => readings[section] ?? {})
  }

  return {
    async during(work) {
      const before = await read()
      const [cpu, startedMs] = [readCpu(groups), performance.now()]
      const done = await sampled(wire, async () => {
        const result = await work()
        await sleep(TOLD_WITHIN_MS)
        return result
      })
      const [used, endedMs] = [cpuBetween(cpu, readCpu(groups)), performance.now()]
      const growth = growthOf(before, await read())
      return { done, interval: { seconds: (endedMs - startedMs) / 1000, growth: { ...growth, cpu: used } } }
    },
  }
}

async function sampled<T>(wire: Wire | undefined, work: () => Promise<T>): Promise<T> {
  const sampler = setInterval(() => void wire?.sample(), LOOK_EVERY_MS)
  try {
    return await work()
  } finally {
    clearInterval(sampler)
    await wire?.sample()
  }
}
