import { compile, type FromSchema } from '@gateway/contracts'
import type { Command } from '@gateway-infra/system/context'
import { UserError } from '@gateway-infra/system/user-error'
import { readOptions } from '../read-arguments.ts'
import { INTEGER, requiredFields, TEXT, TEXT_OR_NULL } from '../required-fields.ts'
import { operatorApi } from './operator-api.ts'
import { FILTER_OPTIONS, readFilter, readWhole } from './options.ts'

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
export const list: Command = async (context, args) => {
  const { values, positionals } = readOptions(args, { ...FILTER_OPTIONS, limit: { type: 'string' } })
  const [status = 'dead'] = positionals
  if (status !== 'dead' && status !== 'retrying') throw new UserError('list takes dead or retrying')
  const limit = readWhole('limit', values.limit, DEFAULT_LIMIT, [1, Infinity])

  const api = operatorApi(context)
  const filter = readFilter(values, new Date())
  let [shown, cursor] = [0, undefined as string | undefined]
  do {
    const query = { ...filter, status, cursor, limit: String(Math.min(PAGE_SIZE, limit - shown)) }
    const { data, next_cursor } = await api.get('/operator/v1/deliveries', query, page)
    for (const delivery of data.deliveries) console.log(lineOf(delivery))
    shown += data.deliveries.length
    cursor = next_cursor ?? undefined
  } while (cursor !== undefined && shown < limit)
  console.log(`${shown} ${status}${cursor === undefined ? '' : '; there are more: raise --limit'}`)
  return 0
}

/** Prints one delivery: its attempts with their addresses, and the body that is sent. */
export const inspect: Command = async (context, args) => {
  const { positionals } = readOptions(args, {})
  const [id, ...more] = positionals
  if (id === undefined || more.length > 0) throw new UserError('inspect takes one delivery id')
  const { data } = await operatorApi(context).get(`/operator/v1/deliveries/${encodeURIComponent(id)}`, {}, inspected)
  console.log(JSON.stringify(data.delivery, null, 2))
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
