import { ATTEMPT_ERRORS, TRANSACTION_STATUSES, type RotatedSecret } from '@gateway/contracts'
import { integer, listOf, objectOf, orNull, text, textOrNull, time, timeOrNull } from './schema-helpers.ts'

/** The answers of `/api/v1/webhooks/…`, and the webhook itself (design, sections 5 and 6). */

const url = { ...text, description: 'the URL as it was registered' } as const
const since = { ...time, description: 'the URL receives the webhooks of orders created from this time on' } as const
const data = (schema: object) => objectOf<{ data: unknown }>({ data: { ...schema } })

const disabled = orNull({
  ...objectOf<{ at: string; reason: string }>({
    at: { ...time, description: 'nothing is sent to the URL after this time until it is enabled or registered again' },
    reason: {
      enum: ['gone', 'failing'],
      description: 'gone: the URL answered 410; failing: it acknowledged no webhook for days',
    },
  }),
})

export const endpointSchema = data(objectOf<{ url: string; since: string; disabled: unknown }>({ url, since, disabled }))

export const registeredEndpointSchema = data({
  type: 'object',
  required: ['url', 'since', 'disabled'],
  properties: {
    url,
    since,
    disabled,
    signing_secret: { ...text, description: 'whsec_…; only in the answer to the first registration' },
  },
})

export const rotatedSecretSchema = data(
  objectOf<RotatedSecret['data']>({
    signing_secret: text,
    previous_secret_until: { ...time, description: 'until then webhooks are signed with the previous secret, too' },
  }),
)

/** Why there was no complete answer. */
const attemptError = {
  enum: [...ATTEMPT_ERRORS.keys(), null],
  description: `null when there was an answer. ${[...ATTEMPT_ERRORS].map(([error, meaning]) => `${error}: ${meaning}`).join(' ')}`,
} as const

export const testEventSchema = data(
  objectOf<{ status_code: number | null; duration_ms: number; error: string | null }>({
    status_code: { type: ['integer', 'null'] },
    duration_ms: integer,
    error: attemptError,
  }),
)

export const recoveredSchema = objectOf<{ data: unknown; next_cursor: string | null }>({
  data: objectOf<{ count: number; skipped: number }>({
    count: { ...integer, description: 'dead deliveries that are sent again' },
    skipped: {
      ...integer,
      description: 'deliveries without a URL, whose URL is disabled, or that something else was changing at that moment',
    },
  }),
  next_cursor: { ...textOrNull, description: 'null when there are no more; otherwise send it with the next call' },
})

export const resentSchema = data(objectOf<{ id: string }>({ id: text }))

const attempt = {
  type: 'object',
  required: ['at', 'duration_ms', 'status_code', 'error', 'response_excerpt'],
  properties: {
    at: time,
    duration_ms: integer,
    status_code: { type: ['integer', 'null'] },
    error: attemptError,
    response_excerpt: textOrNull,
  },
}

const delivery = {
  type: 'object',
  required: ['id', 'channel', 'order_id', 'transaction_id', 'sequence', 'status', 'url', 'next_attempt_at', 'attempts'],
  properties: {
    id: text,
    channel: { enum: ['payment', 'refund'], description: 'what the webhook tells about' },
    order_id: text,
    transaction_id: text,
    sequence: integer,
    status: { enum: ['delivered', 'retrying', 'dead'] },
    url: textOrNull,
    next_attempt_at: {
      ...timeOrNull,
      description:
        'null unless retrying; while a webhook waits because the server is failing or busy, it can be up to a minute in the past',
    },
    attempts: listOf(attempt),
  },
}

export const deliveriesSchema = objectOf<{ data: unknown; next_cursor: string | null }>({
  data: objectOf<{ deliveries: unknown }>({ deliveries: listOf(delivery) }),
  next_cursor: textOrNull,
})

export const lastEventIdSchema = {
  ...text,
  pattern: '^\\d{1,16}(-[0-9a-z]{1,9})?$',
  description: 'the id of the last event that you have; wins over since',
} as const

/** Specification, section 6.2: all values are strings. */
export const webhookPayloadSchema = {
  type: 'object',
  required: ['txnid', 'merchantTxnId', 'amount', 'rrn', 'status', 'metadata', 'datetime'],
  properties: {
    txnid: { ...text, description: 'data.transaction.id' },
    merchantTxnId: { ...text, description: 'the order_id' },
    amount: text,
    rrn: { ...text, description: 'empty until known' },
    status: { enum: TRANSACTION_STATUSES },
    payee: { type: 'object', required: ['name', 'vpa'], properties: { name: text, vpa: text } },
    metadata: { type: 'object', required: ['udf1', 'udf2', 'udf3'], properties: { udf1: text, udf2: text, udf3: text } },
    datetime: { ...text, description: 'the time of the change in IST, YYYY-MM-DD HH:mm:ss' },
  },
}
