import { compile } from '@gateway/contracts'

/** What operators send; the merchants' requests are in the contracts, where the gateway documents them. */

const text = { type: 'string', minLength: 1, maxLength: 256, format: 'plain-text' } as const
/** Query parameters are text; 1 to 100. */
const limit = { type: 'string', pattern: '^(?:[1-9]\\d?|100)$' } as const

export const DEFAULT_LIMIT = 20

/** Routes that take nothing: no body, or an empty object. */
export const emptyBody = compile<object | undefined>({ type: 'object', additionalProperties: false })

export const deadQuery = compile<{ merchant_id?: string; limit?: string; cursor?: string }>({
  type: 'object',
  additionalProperties: false,
  properties: { merchant_id: text, limit, cursor: text },
})

export const replayBody = compile<{ merchant_id?: string; from?: string; to?: string; limit: number }>({
  type: 'object',
  additionalProperties: false,
  required: ['limit'],
  properties: {
    merchant_id: text,
    from: { type: 'string', format: 'date-time' },
    to: { type: 'string', format: 'date-time' },
    limit: { type: 'integer', minimum: 1, maximum: 1000 },
  },
})
