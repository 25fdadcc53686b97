import type { mongo, Connection } from 'mongoose'
import { judgePlan, type ExplainedPlan, type PlanVerdict } from './plan.ts'

/** A query of the payment path or of a loop that always runs, made by the service's own code. None changes anything. */
export interface HotQuery {
  readonly name: string
  readonly connection: Connection
  readonly run: () => Promise<unknown>
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
