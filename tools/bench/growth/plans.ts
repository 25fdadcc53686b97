import type { mongo, Connection } from 'mongoose'
import { median } from '@gateway-tools/load/statistics'
import type { Bench } from '../payments/stack.ts'
import { openHotQueries, type HotQuery } from './hot-queries.ts'
import { judgePlan, type ExplainedPlan, type PlanVerdict } from './plan.ts'

export interface PlanRow {
  readonly name: string
  readonly small: SizePlan
  readonly large: SizePlan
}

export interface SizePlan extends PlanVerdict {
  /** How long the query took by itself, in milliseconds. */
  readonly p50Ms: number
}

const RUNS = 15

/** The hot queries in both sizes: what their plans read, and how long they take, in turns. */
export async function measurePlans(small: Bench, large: Bench): Promise<PlanRow[]> {
  const sizes = [await openHotQueries(small), await openHotQueries(large)] as const
  try {
    const rows: PlanRow[] = []
    for (const [index, query] of sizes[0].queries.entries()) {
      const other = sizes[1].queries[index]
      if (!other) throw new Error(`${query.name} is missing in the large database`)
      const times: [number, number][] = []
      for (let run = 0; run <= RUNS; run++) times.push([await timed(query), await timed(other)])
      // The first run opens connections and fills caches.
      const p50 = (size: 0 | 1) => median(times.slice(1).map((both) => both[size]))
      const plans = { small: { ...(await explain(query)), p50Ms: p50(0) }, large: { ...(await explain(other)), p50Ms: p50(1) } }
      rows.push({ name: query.name, ...plans })
    }
    return rows
  } finally {
    await Promise.all(sizes.map((size) => size.close()))
  }
}

async function timed({ run }: HotQuery): Promise<number> {
  const startedMs = performance.now()
  await run()
  return performance.now() - startedMs
}

/** Explains what the service's own code sends: all its commands, as one verdict. */
export async function explain({ name, connection, run }: HotQuery): Promise<PlanVerdict> {
  const sent = await commandsOf(connection, run)
  if (sent.length === 0) throw new Error(`${name} has sent no query`)
  const plans: ExplainedPlan[] = []
  for (const find of sent) plans.push(await explainFind(connection, find))
  const verdicts = plans.map(judgePlan)
  return {
    indexes: [...new Set(verdicts.flatMap(({ indexes }) => indexes))],
    usesIndex: verdicts.every(({ usesIndex }) => usesIndex),
  }
}

async function explainFind(connection: Connection, find: mongo.Document): Promise<ExplainedPlan> {
  const explained = await connection.getClient().db(connection.name).command({ explain: find, verbosity: 'queryPlanner' })
  // The server's own form; whatever is not known in it is no index.
  return explained['queryPlanner'] as ExplainedPlan
}

async function commandsOf(connection: Connection, run: () => Promise<unknown>): Promise<mongo.Document[]> {
  const finds: mongo.Document[] = []
  const client = connection.getClient()
  const note = ({ command }: mongo.CommandStartedEvent): void => void finds.push(...toFinds(command))
  client.on('commandStarted', note)
  try {
    await run()
  } finally {
    client.off('commandStarted', note)
  }
  return finds
}

/** FerretDB explains searches only. A change looks its documents up by the same filter, in the same order. */
function toFinds(command: mongo.Document): mongo.Document[] {
  const { find, findAndModify, update, filter, query, sort, limit, updates } = command
  const sorted = sort === undefined ? {} : { sort: sort as unknown }
  if (typeof find === 'string')
    return [{ find, filter: filter as unknown, ...sorted, ...(limit === undefined ? {} : { limit: limit as unknown }) }]
  if (typeof findAndModify === 'string') return [{ find: findAndModify, filter: query as unknown, ...sorted, limit: 1 }]
  if (typeof update === 'string') return (updates as { q: mongo.Document }[]).map(({ q }) => ({ find: update, filter: q }))
  return []
}
