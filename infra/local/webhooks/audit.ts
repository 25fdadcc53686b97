import { compile } from '@gateway/contracts'
import type { Command } from '@gateway-infra/system/context'
import { Stopped } from '@gateway-infra/system/stopping'
import { operatorApi } from './operator-api.ts'
import { readInstant, readOptions } from './options.ts'

type Counts = Readonly<Record<string, number>>

interface Gap {
  readonly kind: string
  readonly id: string
  readonly merchant_id: string
  readonly at: string
  readonly detail: string | null
}

const text = { type: 'string' } as const
const numbers = { type: 'object', additionalProperties: { type: 'integer' } } as const

const auditStep = compile({
  type: 'object',
  required: ['data', 'next_cursor'],
  properties: {
    next_cursor: { type: ['string', 'null'] },
    data: {
      type: 'object',
      required: ['since', 'until', 'counts', 'gap_counts', 'gaps'],
      properties: {
        since: text,
        until: text,
        counts: numbers,
        gap_counts: numbers,
        gaps: {
          type: 'array',
          items: {
            type: 'object',
            required: ['kind', 'id', 'merchant_id', 'at', 'detail'],
            properties: { kind: text, id: text, merchant_id: text, at: text, detail: { type: ['string', 'null'] } },
          },
        },
      },
    },
  },
})

const MAX_GAPS_SHOWN = 100

/** Compares every committed status change with the deliveries and lists the gaps. Exit code 1 if there are any. */
export const audit: Command = async (context, args) => {
  const { values } = readOptions(args, { merchant: { type: 'string' }, since: { type: 'string' }, until: { type: 'string' } })
  const now = new Date()
  const api = operatorApi(context)
  const range = {
    since: readInstant('since', values.since, now),
    until: readInstant('until', values.until, now) ?? now.toISOString(),
  }
  const stopping = context.stopRequested.then((signal): never => {
    throw new Stopped(signal)
  })
  stopping.catch(() => undefined)

  const [counts, gapCounts] = [new Map<string, number>(), new Map<string, number>()]
  let [shown, cursor, since] = [0, undefined as string | undefined, undefined as string | undefined]
  do {
    const query = { ...range, merchant_id: values.merchant, cursor }
    const { data, next_cursor } = await Promise.race([api.get('/operator/v1/audit', query, auditStep), stopping])
    since ??= data.since
    add(counts, data.counts)
    add(gapCounts, data.gap_counts)
    for (const gap of data.gaps.slice(0, MAX_GAPS_SHOWN - shown)) console.log(lineOf(gap))
    shown += data.gaps.slice(0, MAX_GAPS_SHOWN - shown).length
    cursor = next_cursor ?? undefined
    if (cursor !== undefined && process.stderr.isTTY) process.stderr.write(`${counts.get('transitions') ?? 0} transitions …\r`)
  } while (cursor !== undefined)

  const total = [...gapCounts.values()].reduce((sum, count) => sum + count, 0)
  if (total > shown) console.log(`… and ${total - shown} more`)
  console.log(`transactions created from ${since} to ${range.until}; older ones are past the retention`)
  console.log(summaryOf(counts))
  console.log(total === 0 ? 'clean: no gaps' : `${total} gaps: ${summaryOf(gapCounts)}`)
  return total === 0 ? 0 : 1
}

function add(sums: Map<string, number>, counts: Counts): void {
  for (const [name, count] of Object.entries(counts)) sums.set(name, (sums.get(name) ?? 0) + count)
}

function summaryOf(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([name, count]) => `${name} ${count}`).join(', ')
}

function lineOf({ kind, id, merchant_id: merchant, at, detail }: Gap): string {
  return [kind.padEnd(13), id, merchant, at, ...(detail === null ? [] : [detail])].join('  ')
}
