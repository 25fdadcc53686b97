import { compile, CURSOR_PATTERN, exactFields, optionalFields, RESEND_TARGETS, TRANSACTION_ID_PATTERN } from '@gateway/contracts'

/** Requests of operators. Merchants' requests are in the contracts, where the gateway documents them. */

const cursor = { type: 'string', minLength: 1, maxLength: 256, pattern: CURSOR_PATTERN } as const
const text = { type: 'string', minLength: 1, maxLength: 256, format: 'plain-text' } as const
const instant = { type: 'string', format: 'date-time' } as const
/** 1 to 100; query parameters are text. */
const limit = { type: 'string', pattern: '^(?:[1-9]\\d?|100)$' } as const

const target = { enum: RESEND_TARGETS } as const

const filter = {
  merchant_id: text,
  from: instant,
  to: instant,
  /** A dead reason, an attempt's error or a status code. */
  reason: text,
  /** The beginning of a URL. */
  url: { type: 'string', minLength: 1, maxLength: 2048, format: 'plain-text' },
} as const

export const deadQuery = compile(optionalFields({ ...filter, limit, cursor }))

export const undeliveredQuery = compile(exactFields({ status: { enum: ['dead', 'retrying'] } }, { ...filter, limit, cursor }))

export const replayOneBody = compile(optionalFields({ target }))

/** Deliveries per second. */
export const DEFAULT_REPLAY_RATE = 20

export const replayBody = compile(
  exactFields(
    { limit: { type: 'integer', minimum: 1, maximum: 1000 } },
    { ...filter, rate: { type: 'integer', minimum: 1, maximum: 200 }, target, cursor },
  ),
)

export const MAX_AUDIT_LIMIT = 1000

export const disabledQuery = compile(optionalFields({ limit, after: text }))

export const undoBody = compile(exactFields({ since: instant }))

export const auditQuery = compile(
  optionalFields({
    since: instant,
    until: instant,
    merchant_id: text,
    limit: { type: 'string', pattern: '^(?:[1-9]\\d{0,2}|1000)$' },
    cursor: { type: 'string', pattern: TRANSACTION_ID_PATTERN },
  }),
)
