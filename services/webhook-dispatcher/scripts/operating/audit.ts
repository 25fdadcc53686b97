import { compile, requiredFields, type FromSchema } from '@gateway/contracts'
import type { Command } from './command.ts'
import { readInstant, readOptions } from './options.ts'
import { INTEGER, TEXT, TEXT_OR_NULL } from './shapes.ts'

type Counts = Readonly<Record<string, number>>

const COUNTS = { type: 'object', additionalProperties: INTEGER } as const
const GAP = requiredFields({ kind: TEXT, id: TEXT, merchant_id: TEXT, at: TEXT, detail: TEXT_OR_NULL })

const auditStep = compile(
  requiredFields({
    next_cursor: TEXT_OR_NULL,
    data: requiredFields({ since: TEXT, counts: COUNTS, gap_counts: COUNTS, gaps: { type: 'array', items: GAP } }),
  }),
)

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
    const { data, next_cursor } = await api.get('/operator/v1/audit', query, auditStep)
    since ??= data.since
    add(counts, data.counts)
    add(gapCounts, data.gap_counts)
    const gaps = data.gaps.slice(0, MAX_GAPS_SHOWN - shown)
    for (const gap of gaps) say(lineOf(gap))
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

function lineOf({ kind, id, merchant_id: merchant, at, detail }: FromSchema<typeof GAP>): string {
  return [kind.padEnd(13), id, merchant, at, ...(detail === null ? [] : [detail])].join('  ')
}
