import { mongo } from 'mongoose'
import { untilSettled } from '@gateway-tools/load/receiver'
import type { LoadAnswer } from '@gateway-tools/load/merchant-load'
import { mean, summarize } from '@gateway-tools/load/statistics'
import { eventIds, withCollection, type Bench } from './stack.ts'

/** Callers at the gateway, beside as many callers at the database alone: `ratio` compares their rates, `p50Ratio` their p50. */
export type CallersResult = Awaited<ReturnType<typeof benchCallers>>
export type CreateResult = Awaited<ReturnType<typeof benchCreate>>

const DELIVERED_WITHIN_MS = 5000
/** Past the deadline late events are still waited for: the next run begins with nothing left to do. */
const PATIENCE_MS = 60_000

/** Code that ran some thousand times is compiled. With fewer orders, searches reach a third of their rate. */
const WARM_AFTER_ORDERS = 10_000
const WARM_ROUND_MS = 2000
const MAX_WARM_ROUNDS = 15

/** Compiles hot code and fills caches; resolves with the size of a stored order in bytes, which the limit's documents have, too. */
export async function warmUp(bench: Bench): Promise<number> {
  await makeOrders(bench, () => bench.load.call('callers', 'search', { concurrency: 32, durationMs: WARM_ROUND_MS / 2 }))
  const documentBytes = await insertedBytes(bench)
  await bench.limit.call('connect', bench.stack.mongo_url, `${bench.databasePrefix}limit`, documentBytes)
  await bench.limit.call('insertOne', { concurrency: 32, durationMs: WARM_ROUND_MS })
  return documentBytes
}

/** Creates orders until the code that does it is compiled. */
export async function makeOrders(
  { load, receiver }: Pick<Bench, 'load' | 'receiver'>,
  afterEachRound: () => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  for (let [made, round] = [0, 0]; made < WARM_AFTER_ORDERS && round < MAX_WARM_ROUNDS; round++) {
    const { transactionIds } = await load.call('callers', 'create', { concurrency: 32, durationMs: WARM_ROUND_MS })
    await afterEachRound()
    await untilSettled(receiver, eventIds(transactionIds, 1), PATIENCE_MS)
    made += transactionIds.length
  }
}

/** An order with its event in it, as it is inserted: the event is the published fields as JSON. */
async function insertedBytes(bench: Bench): Promise<number> {
  const order = await withCollection(bench, ['order_api', 'orders'], (orders) => orders.findOne())
  if (!order) throw new Error('there is no order whose size could be measured')
  const { customer: _customer, ...published } = order
  return mongo.BSON.calculateObjectSize(order) + JSON.stringify(published).length
}

/** The run counts only when no event is `undelivered` 5 s after its end. `settledAfterMs`: until all were delivered. */
export async function benchCreate(bench: Bench, concurrency: number, durationMs: number) {
  let settled = { afterMs: 0, missing: [] as readonly string[] }
  const result = await benchCallers(bench, { what: 'create', limit: 'insertOne', concurrency, durationMs }, async (load) => {
    const expected = eventIds(load.transactionIds, 1)
    settled = await untilSettled(bench.receiver, expected, DELIVERED_WITHIN_MS)
    if (settled.missing.length > 0) await untilSettled(bench.receiver, expected, PATIENCE_MS)
  })
  return { ...result, settledAfterMs: settled.afterMs, undelivered: settled.missing.length }
}

/** Searches for any of the orders created before, beside plain `findOne` by `_id`. */
export async function benchSearch(bench: Bench, concurrency: number, durationMs: number): Promise<CallersResult> {
  // The limit's own code, too, is compiled only after some thousand calls.
  await bench.limit.call('findOne', { concurrency, durationMs: durationMs / 3 })
  return benchCallers(bench, { what: 'search', limit: 'findOne', concurrency, durationMs })
}

/** The limit is measured right before and right after: a machine that slows down slows both. */
async function benchCallers(
  { limit, receiver, load }: Bench,
  run: { what: 'create' | 'search'; limit: 'insertOne' | 'findOne'; concurrency: number; durationMs: number },
  afterwards: (load: LoadAnswer) => Promise<void> = () => Promise.resolve(),
) {
  const { concurrency, durationMs } = run
  const limited = async () => {
    const { latenciesMs, tookMs } = await limit.call(run.limit, { concurrency, durationMs: durationMs / 3 })
    return { perSecond: (latenciesMs.length * 1000) / tookMs, p50: summarize(latenciesMs).p50 }
  }
  const before = await limited()
  await receiver.call('take')
  const answer = await load.call('callers', run.what, { concurrency, durationMs })
  await afterwards(answer)
  const after = await limited()

  const latencyMs = summarize(answer.latenciesMs)
  const perSecond = (latencyMs.count * 1000) / answer.tookMs
  const [limitPerSecond, limitP50Ms] = [mean([before.perSecond, after.perSecond]), mean([before.p50, after.p50])]
  const ratios = { ratio: perSecond / limitPerSecond, p50Ratio: latencyMs.p50 / limitP50Ms }
  return { concurrency, perSecond, latencyMs, load: answer, limitPerSecond, limitP50Ms, ...ratios }
}
