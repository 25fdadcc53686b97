import type { AttemptError } from '../attempt-errors.ts'
import { compile } from '../schema.ts'
import { DELIVERY_CURSOR_PATTERN } from '../cursor.ts'
import { plainText } from './create-order.ts'

/** Requests of merchants to `/api/v1/webhooks/…` (design, section 5). */

const MAX_URL_LENGTH = 2048

export const registerEndpointSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['url'],
  properties: {
    url: {
      type: 'string',
      maxLength: MAX_URL_LENGTH,
      format: 'https-url',
      description: `an HTTPS URL of at most ${MAX_URL_LENGTH} characters`,
    },
  },
} as const

export const registerEndpointRequest = compile(registerEndpointSchema)

/** Where a delivery is sent again: to its original URL, or to the URL that is registered now. */
export const RESEND_TARGETS = ['original', 'current'] as const
export type ResendTarget = (typeof RESEND_TARGETS)[number]

const TARGET_SCHEMA = { enum: RESEND_TARGETS, description: 'original or current' } as const

export const resendDeliverySchema = {
  type: 'object',
  additionalProperties: false,
  required: ['to'],
  properties: { to: TARGET_SCHEMA },
} as const

export const resendDeliveryRequest = compile(resendDeliverySchema)

const cursor = {
  type: 'string',
  minLength: 1,
  maxLength: 256,
  pattern: DELIVERY_CURSOR_PATTERN,
  description: 'the next_cursor of an earlier page; null in an answer means that there are no more',
} as const

export const recoverDeliveriesSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['since', 'to'],
  properties: {
    since: { type: 'string', format: 'date-time', description: 'a time with its zone, such as 2026-11-21T10:00:00Z' },
    to: TARGET_SCHEMA,
    cursor,
  },
} as const

export const recoverDeliveriesRequest = compile(recoverDeliveriesSchema)

/** The query parameters of `GET /api/v1/webhooks/deliveries`, which are all text; `limit` is 1 to 100. */
export const listDeliveriesSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    order_id: plainText(256, 1),
    limit: { type: 'string', pattern: '^(?:[1-9]\\d?|100)$', description: 'a whole number from 1 to 100' },
    cursor,
  },
} as const

export const listDeliveriesQuery = compile(listDeliveriesSchema)

/** The query parameters of `GET /api/v1/webhooks/listen`. */
export const listenSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    since: {
      type: 'string',
      format: 'date-time',
      description: 'copies from this time on, one hour back at most; a time with its zone, such as 2026-11-21T10:00:00Z',
    },
  },
} as const

export const listenQuery = compile(listenSchema)

/** Answers of `/api/v1/webhooks/…`. */

export interface WebhookEndpoint {
  readonly data: {
    readonly url: string
    /** The URL gets the webhooks of orders created from this instant on. */
    readonly since: string
    readonly disabled: { readonly at: string; readonly reason: 'gone' | 'failing' } | null
  }
}

export interface RegisteredEndpoint {
  /** `signing_secret` (`whsec_…`) only at the first registration. */
  readonly data: WebhookEndpoint['data'] & { readonly signing_secret?: string }
}

export interface RotatedSecret {
  /** Until `previous_secret_until` webhooks are signed with the previous secret, too. */
  readonly data: { readonly signing_secret: string; readonly previous_secret_until: string }
}

export interface WebhookDelivery {
  readonly id: string
  /** What the webhook tells about. */
  readonly channel: 'payment' | 'refund'
  readonly order_id: string
  readonly transaction_id: string
  readonly sequence: number
  readonly status: 'delivered' | 'retrying' | 'dead'
  /** `null`: no endpoint was registered when the order was created. */
  readonly url: string | null
  /** `null` unless `retrying`. While a webhook waits because the server is failing or busy, it can be up to a minute in the past. */
  readonly next_attempt_at: string | null
  readonly attempts: readonly WebhookDeliveryAttempt[]
}

export interface WebhookDeliveryAttempt {
  readonly at: string
  readonly duration_ms: number
  /** `null` when the endpoint did not answer; then `error` says why. */
  readonly status_code: number | null
  readonly error: AttemptError | null
  readonly response_excerpt: string | null
}

/** Newest first. */
export interface WebhookDeliveriesPage {
  readonly data: { readonly deliveries: readonly WebhookDelivery[] }
  readonly next_cursor: string | null
}
