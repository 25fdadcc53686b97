import { AUDIT_CURSOR_PATTERN } from '../cursor.ts'
import { compile } from '../schema.ts'
import { plainText } from './create-order.ts'
import { SCOPES, type Scope } from '../scopes.ts'

/** Requests and answers of `/api/v1/credentials` and `/api/v1/audit` (design, section 5). */

const time = {
  type: 'string',
  format: 'date-time',
  description: 'a time with its zone, such as 2026-11-21T10:00:00Z',
} as const

const wishes = {
  scopes: {
    type: 'array',
    minItems: 1,
    maxItems: SCOPES.length,
    uniqueItems: true,
    items: { type: 'string', enum: SCOPES },
    description: 'a list of at least one scope, each of them once',
  },
  label: plainText(50, 1),
  expires_at: { ...time, description: 'a time in the future with its zone, such as 2027-11-21T10:00:00Z' },
} as const

/** The body of `POST /api/v1/credentials`. */
export const newCredentialSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['scopes'],
  properties: wishes,
} as const

export const newCredentialRequest = compile(newCredentialSchema)

/** The same for operators, who may leave everything out: the credential then has `DEFAULT_SCOPES` and does not expire. */
export const operatorCredentialRequest = compile({ type: 'object', additionalProperties: false, properties: wishes } as const)

/** A credential as its merchant sees it; never with its secret. Times are ISO 8601, `null` when there is none. */
export interface CredentialView {
  readonly key_id: string
  readonly scopes: readonly Scope[]
  readonly label: string | null
  /** The id of the credential that made it, or `operator`. */
  readonly made_by: string
  readonly created_at: string
  /** Exact to a minute. */
  readonly last_used_at: string | null
  readonly expires_at: string | null
  readonly revoked_at: string | null
}

export interface CredentialsResponse {
  readonly data: { readonly credentials: readonly CredentialView[] }
}

/** `key_secret` is shown only here. */
export interface NewCredentialResponse {
  readonly data: { readonly credential: CredentialView & { readonly key_secret: string } }
}

/** The query parameters of `GET /api/v1/audit`, which are all text; `limit` is 1 to 100, `from` is included, `to` is not. */
export const auditQuerySchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    from: time,
    to: time,
    limit: { type: 'string', pattern: '^(?:[1-9]\\d?|100)$', description: 'a whole number from 1 to 100' },
    cursor: { type: 'string', pattern: AUDIT_CURSOR_PATTERN, description: 'the next_cursor of an earlier page' },
  },
} as const

export const auditQuery = compile(auditQuerySchema)

/** One line of a merchant's audit. */
export interface AuditEntryView {
  readonly at: string
  /** `merchant`, or the name of an operator. */
  readonly actor: string
  /** The credential that was used; `null` for operators. */
  readonly credential_id: string | null
  /** The first 24 bits of an IPv4 address, the first 48 of an IPv6 address. */
  readonly address_prefix: string | null
  readonly action: string
  /** What was acted on: a credential's id, a URL, a delivery's id. */
  readonly target: string | null
  /** `asked` is written before the action; `done` or `refused` after it. */
  readonly outcome: AuditOutcome
  /** How often it happened within the minute; more than 1 only for failed authentications. */
  readonly count: number
}

export const AUDIT_OUTCOMES = ['asked', 'done', 'refused'] as const
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number]

export interface AuditResponse {
  readonly data: { readonly entries: readonly AuditEntryView[] }
  readonly next_cursor: string | null
}
