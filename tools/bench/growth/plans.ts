import type { mongo, Connection } from 'mongoose'
import { summarize } from '@gateway-tools/load/statistics'
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
export async function measurePlans(
  mongoUrl: string,
  prefixes: { readonly small: string; readonly large: string },
): Promise<PlanRow[]> {
  const small = await openHotQueries(mongoUrl, prefixes.small)
  const large = await openHotQueries(mongoUrl, prefixes.large)
  try {
    const rows: PlanRow[] = []
    for (const [index, query] of small.queries.entries()) {
      const other = large.queries[index]
      if (!other) throw new Error(`${query.name} is missing in the large database`)
      const times: [number[], number[]] = [[], []]
      for (let run = 0; run <= RUNS; run++) {
        const [smallMs, largeMs] = [await timed(query), await timed(other)]
        // The first one opens connections and fills caches.
        if (run > 0) times[0].push(smallMs)
        if (run > 0) times[1].push(largeMs)
      }
      rows.push({
        name: query.name,
        small: { ...(await explain(query)), p50Ms: summarize(times[0]).p50 },
        large: { ...(await explain(other)), p50Ms: summarize(times[1]).p50 },
      })
    }
    return rows
  } finally {
    await Promise.all([small.close(), large.close()])
  }
}

async function timed({ run }: HotQuery): Promise<number> {
  const startedMs = performance.now()
  await run()
  return performance.now() - startedMs
}

/** Explains what the service's own code sends: all its commands, as one verdict. */
async function explain({ name, connection, run }: HotQuery): Promise<PlanVerdict> {
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
