import type { AuditAnswer, RetiredQueues } from '../../src/operating/http/views.ts'
import type { Command } from './api.ts'
import { readInstant, readOptions } from './options.ts'

type Counts = Readonly<Record<string, number>>

const MAX_GAPS_SHOWN = 100

/** Compares every committed status change with the deliveries and lists the gaps. Exit code 1 if there are any. */
export const audit: Command = async (args, { api: open, say }) => {
  const { values } = readOptions(args, { merchant: { type: 'string' }, since: { type: 'string' }, until: { type: 'string' } })
  const now = new Date()
  const api = open()
  const range = {
    since: readInstant('since', values.since, now),
    until: readInstant('until', values.until, now) ?? now.toISOString(),
  }
  const [counts, gapCounts] = [new Map<string, number>(), new Map<string, number>()]
  let [shown, cursor, since] = [0, undefined as string | undefined, undefined as string | undefined]
  do {
    const query = { ...range, merchant_id: values.merchant, cursor }
    const { data, next_cursor } = await api.get<AuditAnswer>('/operator/v1/audit', query)
    since ??= data.since
    add(counts, data.counts)
    add(gapCounts, data.gap_counts)
    const gaps = data.gaps.slice(0, MAX_GAPS_SHOWN - shown)
    for (const gap of gaps) say(gapLine(gap))
    shown += gaps.length
    cursor = next_cursor ?? undefined
    if (cursor !== undefined && process.stderr.isTTY) process.stderr.write(`${counts.get('transitions') ?? 0} transitions …\r`)
  } while (cursor !== undefined)

  const total = [...gapCounts.values()].reduce((sum, count) => sum + count, 0)
  if (total > shown) say(`… and ${total - shown} more`)
  say(`transactions created from ${since} to ${range.until}; older ones are past the retention`)
  say(summaryOf(counts))
  say(total === 0 ? 'clean: no gaps' : `${total} gaps: ${summaryOf(gapCounts)}`)
  return total === 0 ? 0 : 1
}

function add(sums: Map<string, number>, counts: Counts): void {
  for (const [name, count] of Object.entries(counts)) sums.set(name, (sums.get(name) ?? 0) + count)
}

function summaryOf(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([name, count]) => `${name} ${count}`).join(', ')
}

function gapLine({ kind, id, merchant_id: merchant, at, detail }: AuditAnswer['data']['gaps'][number]): string {
  return [kind.padEnd(13), id, merchant, at, ...(detail === null ? [] : [detail])].join('  ')
}

type RetiredQueue = RetiredQueues['data']['queues'][number]

/** Lists delay queues of earlier schedules; `--remove` takes one step towards their removal. Exit code 1 while any is left. */
export const retiredQueues: Command = async (args, { api: open, say }) => {
  const { values } = readOptions(args, { remove: { type: 'boolean' } })
  const api = open()
  const { data } = values.remove
    ? await api.post<RetiredQueues>('/operator/v1/retired-queues/remove', {})
    : await api.get<RetiredQueues>('/operator/v1/retired-queues', {})
  for (const queue of data.queues) say(queueLine(queue))
  const left = data.queues.filter(({ done }) => done !== 'removed')
  if (data.queues.length === 0) say('no retired queues')
  else if (values.remove) say(`${data.queues.length - left.length} removed, ${left.length} left`)
  return values.remove && left.length > 0 ? 1 : 0
}

function queueLine(queue: RetiredQueue): string {
  return `${queue.name}  last used ${queue.last_used_at}  ${queue.messages} messages  ${stateOf(queue)}`
}

function stateOf({ stage, done, removable_at: removable }: RetiredQueue): string {
  if (done === 'removed') return 'removed'
  if (stage === 'bound') return 'still bound: --remove unbinds it'
  if (stage === 'removable') return 'can be removed with --remove'
  return `${done === 'cut_off' ? 'unbound now' : 'unbound'}, can be removed from ${removable ?? ''} on, once it is empty`
}
