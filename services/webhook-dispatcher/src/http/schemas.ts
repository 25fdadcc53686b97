import { compile, RESEND_TARGETS, type ResendTarget } from '@gateway/contracts'

/** Requests of operators. Merchants' requests are in the contracts, where the gateway documents them. */

const text = { type: 'string', minLength: 1, maxLength: 256, format: 'plain-text' } as const
const instant = { type: 'string', format: 'date-time' } as const
/** 1 to 100; query parameters are text. */
const limit = { type: 'string', pattern: '^(?:[1-9]\\d?|100)$' } as const

export const DEFAULT_LIMIT = 20

interface Filter {
  readonly merchant_id?: string
  readonly from?: string
  readonly to?: string
  /** A dead reason, an attempt's error or a status code. */
  readonly reason?: string
  /** The beginning of a URL. */
  readonly url?: string
}

const filter = {
  merchant_id: text,
  from: instant,
  to: instant,
  reason: text,
  url: { type: 'string', minLength: 1, maxLength: 2048, format: 'plain-text' },
} as const

interface Paged {
  readonly limit?: string
  readonly cursor?: string
}

export const deadQuery = compile<Filter & Paged>({
  type: 'object',
  additionalProperties: false,
  properties: { ...filter, limit, cursor: text },
})

export const undeliveredQuery = compile<Filter & Paged & { readonly status: 'dead' | 'retrying' }>({
  type: 'object',
  additionalProperties: false,
  required: ['status'],
  properties: { ...filter, limit, cursor: text, status: { enum: ['dead', 'retrying'] } },
})

const target = { enum: RESEND_TARGETS } as const

export const replayOneBody = compile<{ readonly target?: ResendTarget }>({
  type: 'object',
  additionalProperties: false,
  properties: { target },
})

/** Deliveries per second. */
export const DEFAULT_REPLAY_RATE = 20

export interface ReplayBody extends Filter {
  readonly limit: number
  readonly rate?: number
  readonly target?: ResendTarget
  readonly cursor?: string
}

export const replayBody = compile<ReplayBody>({
  type: 'object',
  additionalProperties: false,
  required: ['limit'],
  properties: {
    ...filter,
    limit: { type: 'integer', minimum: 1, maximum: 1000 },
    rate: { type: 'integer', minimum: 1, maximum: 200 },
    target,
    cursor: text,
  },
})

export const MAX_AUDIT_LIMIT = 1000

export interface AuditQuery {
  readonly since?: string
  readonly until?: string
  readonly merchant_id?: string
  readonly limit?: string
  readonly cursor?: string
}

export const auditQuery = compile<AuditQuery>({
  type: 'object',
  additionalProperties: false,
  properties: {
    since: instant,
    until: instant,
    merchant_id: text,
    limit: { type: 'string', pattern: '^(?:[1-9]\\d{0,2}|1000)$' },
    cursor: { type: 'string', pattern: '^[0-9A-Z]{1,35}$' },
  },
})

/** For routes without input: no body, or an empty object. */
export const emptyBody = compile<object | undefined>({ type: 'object', additionalProperties: false })
