import mongoose, { type Connection, type mongo } from 'mongoose'
import { judgePlan, type ExplainedPlan, type PlanVerdict } from './plan.ts'

/** Queries of the payment path or of loops that always run, made by the services' own code. None changes anything. */
export type HotQueries = Readonly<Record<string, () => Promise<unknown>>>

export type NamedVerdict = PlanVerdict & { readonly name: string }

/** Explains queries on a connection of their own: for each of them all commands that the services' code sends, as one verdict. */
export async function explainAll(
  url: string,
  dbName: string,
  queriesOf: (connection: Connection) => HotQueries | Promise<HotQueries>,
): Promise<NamedVerdict[]> {
  const connection = await mongoose.createConnection(url, { dbName, monitorCommands: true }).asPromise()
  try {
    const verdicts: NamedVerdict[] = []
    for (const [name, run] of Object.entries(await queriesOf(connection))) verdicts.push(await explain(name, connection, run))
    return verdicts
  } finally {
    await connection.close()
  }
}

async function explain(name: string, connection: Connection, run: () => Promise<unknown>): Promise<NamedVerdict> {
  const sent = await commandsOf(connection, run)
  if (sent.length === 0) throw new Error(`${name} has sent no query`)
  const plans: ExplainedPlan[] = []
  for (const find of sent) plans.push(await explainFind(connection, find))
  const verdicts = plans.map(judgePlan)
  return {
    name,
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

/** FerretDB explains searches only. A change or a count looks its documents up by the same filter, in the same order. */
function toFinds(command: mongo.Document): mongo.Document[] {
  const { find, findAndModify, update, aggregate, filter, query, sort, limit, updates, pipeline } = command
  const sorted = sort === undefined ? {} : { sort: sort as unknown }
  if (typeof find === 'string')
    return [{ find, filter: filter as unknown, ...sorted, ...(limit === undefined ? {} : { limit: limit as unknown }) }]
  if (typeof findAndModify === 'string') return [{ find: findAndModify, filter: query as unknown, ...sorted, limit: 1 }]
  if (typeof aggregate === 'string') return [{ find: aggregate, filter: (pipeline as { $match?: object }[])[0]?.$match ?? {} }]
  if (typeof update === 'string') return (updates as { q: mongo.Document }[]).map(({ q }) => ({ find: update, filter: q }))
  return []
}
