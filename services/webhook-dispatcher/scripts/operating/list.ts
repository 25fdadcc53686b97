import { compile, requiredFields, type FromSchema } from '@gateway/contracts'
import type { Command } from './command.ts'
import { FILTER_OPTIONS, readFilter, readOptions, readWhole } from './options.ts'
import { INTEGER, TEXT, TEXT_OR_NULL } from './shapes.ts'
import { UserError } from './user-error.ts'

const DELIVERY = requiredFields({
  id: TEXT,
  merchant_id: TEXT,
  order_id: TEXT,
  url: TEXT_OR_NULL,
  dead_reason: TEXT_OR_NULL,
  next_attempt_at: TEXT_OR_NULL,
  attempt_count: INTEGER,
  created_at: TEXT,
  attempts: { type: 'array', items: requiredFields({ status_code: { type: ['integer', 'null'] }, error: TEXT_OR_NULL }) },
})

const page = compile(
  requiredFields({ next_cursor: TEXT_OR_NULL, data: requiredFields({ deliveries: { type: 'array', items: DELIVERY } }) }),
)
const inspected = compile(requiredFields({ data: requiredFields({ delivery: { type: 'object' } }) }))

const PAGE_SIZE = 100
const DEFAULT_LIMIT = 100

/** Lists dead or retrying deliveries, newest first. */
export const list: Command = async (args, { api: open, say }) => {
  const { values, positionals } = readOptions(args, { ...FILTER_OPTIONS, limit: { type: 'string' } })
  const [status = 'dead'] = positionals
  if (status !== 'dead' && status !== 'retrying') throw new UserError('list takes dead or retrying')
  const limit = readWhole('limit', values.limit, DEFAULT_LIMIT, [1, Infinity])

  const api = open()
  const filter = readFilter(values, new Date())
  let [shown, cursor] = [0, undefined as string | undefined]
  do {
    const query = { ...filter, status, cursor, limit: String(Math.min(PAGE_SIZE, limit - shown)) }
    const { data, next_cursor } = await api.get('/operator/v1/deliveries', query, page)
    for (const delivery of data.deliveries) say(lineOf(delivery))
    shown += data.deliveries.length
    cursor = next_cursor ?? undefined
  } while (cursor !== undefined && shown < limit)
  say(`${shown} ${status}${cursor === undefined ? '' : '; there are more: raise --limit'}`)
  return 0
}

/** Prints one delivery: its attempts with their addresses, and the body that is sent. */
export const inspect: Command = async (args, { api, say }) => {
  const { positionals } = readOptions(args, {})
  const [id, ...more] = positionals
  if (id === undefined || more.length > 0) throw new UserError('inspect takes one delivery id')
  const { data } = await api().get(`/operator/v1/deliveries/${encodeURIComponent(id)}`, {}, inspected)
  say(JSON.stringify(data.delivery, null, 2))
  return 0
}

function lineOf(delivery: FromSchema<typeof DELIVERY>): string {
  const last = delivery.attempts.at(-1)
  const why = delivery.dead_reason ?? `next ${delivery.next_attempt_at ?? ''}`
  const result = last ? `last ${last.error ?? String(last.status_code)}` : 'no attempt yet'
  const { created_at, id, merchant_id, order_id, attempt_count: count, url } = delivery
  const attempts = count === 1 ? '1 attempt' : `${count} attempts`
  return [created_at, id, merchant_id, order_id, why, attempts, result, url ?? 'no URL'].join('  ')
}
