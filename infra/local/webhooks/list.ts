import { compile, type FromSchema } from '@gateway/contracts'
import type { Command } from '@gateway-infra/system/context'
import { UserError } from '@gateway-infra/system/user-error'
import { operatorApi } from './operator-api.ts'
import { FILTER_OPTIONS, readFilter, readOptions } from './options.ts'

const textOrNull = { type: ['string', 'null'] } as const
const text = { type: 'string' } as const

const listedDelivery = {
  type: 'object',
  required: ['id', 'merchant_id', 'order_id', 'url', 'dead_reason', 'next_attempt_at', 'attempt_count', 'created_at', 'attempts'],
  properties: {
    id: text,
    merchant_id: text,
    order_id: text,
    url: textOrNull,
    dead_reason: textOrNull,
    next_attempt_at: textOrNull,
    attempt_count: { type: 'integer' },
    created_at: text,
    attempts: {
      type: 'array',
      items: {
        type: 'object',
        required: ['status_code', 'error'],
        properties: { status_code: { type: ['integer', 'null'] }, error: textOrNull },
      },
    },
  },
} as const
type ListedDelivery = FromSchema<typeof listedDelivery>

const page = compile({
  type: 'object',
  required: ['data', 'next_cursor'],
  properties: {
    next_cursor: textOrNull,
    data: {
      type: 'object',
      required: ['deliveries'],
      properties: { deliveries: { type: 'array', items: listedDelivery } },
    },
  },
})

const PAGE_SIZE = 100
const DEFAULT_LIMIT = 100

/** Lists dead or retrying deliveries, newest first. */
export const list: Command = async (context, args) => {
  const { values, positionals } = readOptions(args, { ...FILTER_OPTIONS, limit: { type: 'string' } })
  const [status = 'dead'] = positionals
  if (status !== 'dead' && status !== 'retrying') throw new UserError('list takes dead or retrying')
  const limit = Number(values.limit ?? DEFAULT_LIMIT)
  if (!(Number.isInteger(limit) && limit > 0)) throw new UserError('--limit must be a whole number above 0')

  const api = operatorApi(context)
  const filter = readFilter(values, new Date())
  let [shown, cursor] = [0, undefined as string | undefined]
  do {
    const count = Math.min(PAGE_SIZE, limit - shown)
    const { data, next_cursor } = await api.get(
      '/operator/v1/deliveries',
      { ...filter, status, cursor, limit: String(count) },
      page,
    )
    for (const delivery of data.deliveries) console.log(lineOf(delivery))
    shown += data.deliveries.length
    cursor = next_cursor ?? undefined
  } while (cursor !== undefined && shown < limit)
  console.log(`${shown} ${status}${cursor === undefined ? '' : '; there are more: raise --limit'}`)
  return 0
}

function lineOf(delivery: ListedDelivery): string {
  const last = delivery.attempts.at(-1)
  const why = delivery.dead_reason ?? `next ${delivery.next_attempt_at ?? ''}`
  const result = last ? `last ${last.error ?? String(last.status_code)}` : 'no attempt yet'
  const facts = [
    delivery.attempt_count === 1 ? '1 attempt' : `${delivery.attempt_count} attempts`,
    result,
    delivery.url ?? 'no URL',
  ]
  return [delivery.created_at, delivery.id, delivery.merchant_id, delivery.order_id, why, ...facts].join('  ')
}
