import { ATTEMPT_ERRORS } from '../attempt-errors.ts'
import {
  CURSOR_PATTERN,
  dataOf,
  exactFields,
  integer,
  integerOrNull,
  listOf,
  optionalFields,
  orNull,
  pageOf,
  plainText,
  requiredFields,
  text,
  textOrNull,
  time,
  timeOrNull,
} from '../schema-parts.ts'
import { compile, type FromSchema } from '../schema.ts'

/** Requests of merchants to `/api/v1/webhooks/…` (design, section 5). */

const MAX_URL_LENGTH = 2048

export const registerEndpointSchema = exactFields({
  url: {
    type: 'string',
    maxLength: MAX_URL_LENGTH,
    format: 'https-url',
    description: `an HTTPS URL of at most ${MAX_URL_LENGTH} characters`,
  },
})

export const registerEndpointRequest = compile(registerEndpointSchema)

/** Where a delivery is sent again: to its original URL, or to the URL that is registered now. */
export const RESEND_TARGETS = ['original', 'current'] as const
export type ResendTarget = (typeof RESEND_TARGETS)[number]

const TARGET_SCHEMA = { enum: RESEND_TARGETS, description: 'original or current' } as const

export const resendDeliverySchema = exactFields({ to: TARGET_SCHEMA })

export const resendDeliveryRequest = compile(resendDeliverySchema)

const cursor = {
  type: 'string',
  minLength: 1,
  maxLength: 256,
  pattern: CURSOR_PATTERN,
  description: 'the next_cursor of an earlier page; null in an answer means that there are no more',
} as const

export const recoverDeliveriesSchema = exactFields(
  {
    since: { type: 'string', format: 'date-time', description: 'a time with its zone, such as 2026-11-21T10:00:00Z' },
    to: TARGET_SCHEMA,
  },
  {
    cursor,
  },
)

export const recoverDeliveriesRequest = compile(recoverDeliveriesSchema)

/** The query parameters of `GET /api/v1/webhooks/deliveries`, which are all text; `limit` is 1 to 100. */
export const listDeliveriesSchema = optionalFields({
  order_id: plainText(256, 1),
  limit: { type: 'string', pattern: '^(?:[1-9]\\d?|100)$', description: 'a whole number from 1 to 100' },
  cursor,
})

export const listDeliveriesQuery = compile(listDeliveriesSchema)

/** The query parameters of `GET /api/v1/webhooks/listen`. */
export const listenSchema = optionalFields({
  since: {
    type: 'string',
    format: 'date-time',
    description: 'copies from this time on, one hour back at most; a time with its zone, such as 2026-11-21T10:00:00Z',
  },
})

export const listenQuery = compile(listenSchema)

export const LAST_EVENT_ID_SCHEMA = {
  ...text,
  pattern: '^\\d{1,16}(-[0-9a-z]{1,9})?$',
  description: 'the id of the last event that you have; wins over since',
} as const

/** Answers of `/api/v1/webhooks/…`. */

const endpointProperties = {
  url: { ...text, description: 'the URL as it was registered' },
  since: { ...time, description: 'the URL receives the webhooks of orders created from this time on' },
  disabled: orNull(
    requiredFields({
      at: { ...time, description: 'nothing is sent to the URL after this time until it is enabled or registered again' },
      reason: {
        enum: ['gone', 'failing'],
        description: 'gone: the URL answered 410; failing: it acknowledged no webhook for days',
      },
    }),
  ),
} as const

export const endpointResponseSchema = dataOf(endpointProperties)
export type WebhookEndpoint = FromSchema<typeof endpointResponseSchema>

const { data: endpointData } = endpointResponseSchema.properties
export const registeredEndpointResponseSchema = requiredFields({
  data: {
    ...endpointData,
    properties: {
      ...endpointProperties,
      signing_secret: { ...text, description: 'whsec_…; only in the answer to the first registration' },
    },
  },
})
export type RegisteredEndpoint = FromSchema<typeof registeredEndpointResponseSchema>

export const rotatedSecretResponseSchema = dataOf({
  signing_secret: { ...text, description: 'whsec_…; only in this answer' },
  previous_secret_until: { ...time, description: 'until then webhooks are signed with the previous secret, too' },
})
export type RotatedSecret = FromSchema<typeof rotatedSecretResponseSchema>

const attemptError = {
  enum: [...ATTEMPT_ERRORS.keys(), null],
  description: `null when there was an answer. ${[...ATTEMPT_ERRORS].map(([error, meaning]) => `${error}: ${meaning}`).join(' ')}`,
} as const
const statusCode = { ...integerOrNull, description: 'null when the endpoint did not answer; then error says why' } as const

/** How the endpoint answered a test event. */
export const testEventResponseSchema = dataOf({ status_code: statusCode, duration_ms: integer, error: attemptError })

export const recoveredResponseSchema = requiredFields({
  data: requiredFields({
    count: { ...integer, description: 'dead deliveries that are sent again' },
    skipped: {
      ...integer,
      description: 'deliveries without a URL, whose URL is disabled, or that something else was changing at that moment',
    },
  }),
  next_cursor: { ...textOrNull, description: 'null when there are no more; otherwise send it with the next call' },
})

export const resentResponseSchema = dataOf({ id: text })

export const deliveryAttemptSchema = requiredFields({
  at: time,
  duration_ms: integer,
  status_code: statusCode,
  error: attemptError,
  response_excerpt: textOrNull,
})
export type WebhookDeliveryAttempt = FromSchema<typeof deliveryAttemptSchema>

/** One webhook and every attempt to deliver it. */
export const deliverySchema = requiredFields({
  id: text,
  channel: { enum: ['payment', 'refund'], description: 'what the webhook tells about' },
  order_id: text,
  transaction_id: text,
  sequence: integer,
  status: { enum: ['delivered', 'retrying', 'dead'] },
  url: { ...textOrNull, description: 'null when no endpoint was registered when the order was created' },
  next_attempt_at: {
    ...timeOrNull,
    description:
      'null unless retrying; while a webhook waits because the server is failing or busy, it can be up to a minute in the past',
  },
  attempts: listOf(deliveryAttemptSchema),
})
export type WebhookDelivery = FromSchema<typeof deliverySchema>

export const deliveriesPageSchema = pageOf({ deliveries: listOf(deliverySchema) })
export type WebhookDeliveriesPage = FromSchema<typeof deliveriesPageSchema>
