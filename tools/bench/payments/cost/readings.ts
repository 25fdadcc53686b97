import type { mongo } from 'mongoose'
import { commandLineOf, listenerOf } from '../cpu.ts'
import type { StackDescription } from '../stack.ts'
import type { Counters } from './counters.ts'
import { parseMetrics, sumBy } from './metrics-text.ts'

/** Where PostgreSQL under FerretDB runs, when it is a process of this machine. */
export function findPostgres({ mongo_url: mongoUrl }: StackDescription): { pid: number; port: number } | undefined {
  const ferretdb = listenerOf(Number(new URL(mongoUrl).port))
  const port = Number(/--postgresql-url=\S*?:(\d+)\//u.exec(commandLineOf(ferretdb ?? 0))?.[1])
  const pid = listenerOf(port)
  return pid === undefined ? undefined : { pid, port }
}

/** Commands by name: FerretDB and MongoDB both count them so. Those that read counters, or say hello, are left out. */
export async function readCommands(client: mongo.MongoClient): Promise<Counters> {
  const { metrics } = await client.db('admin').command({ serverStatus: 1 })
  // The server's own form.
  const { commands } = metrics as { readonly commands: Readonly<Record<string, { readonly total: number } | number>> }
  const totals = Object.entries(commands).map(([name, count]) => [name, typeof count === 'number' ? count : count.total] as const)
  return Object.fromEntries(totals.filter(([name]) => COMMANDS.includes(name)))
}

const COMMANDS = ['insert', 'update', 'findAndModify', 'findandmodify', 'find', 'getMore', 'aggregate', 'count', 'delete']

/** What the services say that they have done. The gateway has no metrics on its public port, and is left out. */
export async function readEvents({ services }: StackDescription): Promise<Counters> {
  const events: Record<string, number> = {}
  for (const [service, { url }] of Object.entries(services)) {
    const answer = await fetch(`${url}/metrics`)
    const samples = answer.ok ? parseMetrics(await answer.text()) : []
    for (const [what, metric, label] of EVENTS) {
      for (const [value, count] of Object.entries(sumBy(samples, metric, label))) events[`${service} ${what} ${value}`] = count
    }
  }
  return events
}

const EVENTS = [
  ['requests to', 'http_request_duration_seconds_count', 'route'],
  ['outbox', 'outbox_events_total', 'result'],
  ['transitions to', 'transaction_transitions_total', 'to'],
  ['webhooks', 'webhook_deliveries_total', 'outcome'],
] as const
