import { compile } from '../schema.ts'

/** What merchants send to `/api/v1/webhooks/…` (design, section 5). */

const MAX_URL_LENGTH = 2048

export const registerEndpointSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['url'],
  properties: { url: { type: 'string', maxLength: MAX_URL_LENGTH, format: 'https-url' } },
} as const

export const registerEndpointRequest = compile(registerEndpointSchema)

/** Where a delivery is sent again: to the URL it was bound to, or to the one registered now. */
export const RESEND_TARGETS = ['original', 'current'] as const
export type ResendTarget = (typeof RESEND_TARGETS)[number]

export const resendDeliverySchema = {
  type: 'object',
  additionalProperties: false,
  required: ['to'],
  properties: { to: { enum: RESEND_TARGETS } },
} as const

export const resendDeliveryRequest = compile(resendDeliverySchema)

/** `cursor`: the `next_cursor` of the part before. */
export const recoverDeliveriesSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['since', 'to'],
  properties: {
    since: { type: 'string', format: 'date-time' },
    to: { enum: RESEND_TARGETS },
    cursor: { type: 'string', minLength: 1, maxLength: 256, format: 'plain-text' },
  },
} as const

export const recoverDeliveriesRequest = compile(recoverDeliveriesSchema)

const text = { type: 'string', minLength: 1, maxLength: 256, format: 'plain-text' } as const

/** The query parameters of `GET /api/v1/webhooks/deliveries`, which are all text; `limit` is 1 to 100. */
export const listDeliveriesSchema = {
  type: 'object',
  additionalProperties: false,
  properties: { order_id: text, limit: { type: 'string', pattern: '^(?:[1-9]\\d?|100)$' }, cursor: text },
} as const

export const listDeliveriesQuery = compile(listDeliveriesSchema)
