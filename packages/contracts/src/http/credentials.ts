import {
  CURSOR_PATTERN,
  dataOf,
  exactFields,
  integer,
  listOf,
  optionalFields,
  pageOf,
  plainText,
  requiredFields,
  text,
  textOrNull,
  time,
  timeOrNull,
} from '../schema-parts.ts'
import { compile, type FromSchema } from '../schema.ts'
import { SCOPES } from '../services.ts'

/** Requests and answers of `/api/v1/credentials` and `/api/v1/audit` (design, section 5). */

const instant = { ...time, description: 'a time with its zone, such as 2026-11-21T10:00:00Z' } as const

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
export const newCredentialSchema = exactFields({ scopes: wishes.scopes }, wishes)

export const newCredentialRequest = compile(newCredentialSchema)

/** The same for operators, who may leave everything out: the credential then has `DEFAULT_SCOPES` and does not expire. */
export const operatorCredentialRequest = compile(optionalFields(wishes))

const credentialProperties = {
  key_id: text,
  scopes: listOf({ enum: SCOPES }),
  label: textOrNull,
  made_by: { ...text, description: 'the id of the credential that made it, or operator' },
  created_at: time,
  last_used_at: { ...timeOrNull, description: 'exact to a minute' },
  expires_at: timeOrNull,
  revoked_at: timeOrNull,
} as const

/** A credential as its merchant sees it; never with its secret. */
export const credentialViewSchema = requiredFields(credentialProperties)
export type CredentialView = FromSchema<typeof credentialViewSchema>

export const credentialsResponseSchema = dataOf({ credentials: listOf(credentialViewSchema) })
export type CredentialsResponse = FromSchema<typeof credentialsResponseSchema>

export const newCredentialResponseSchema = dataOf({
  credential: requiredFields({ ...credentialProperties, key_secret: { ...text, description: 'shown only in this answer' } }),
})
export type NewCredentialResponse = FromSchema<typeof newCredentialResponseSchema>

/** The query parameters of `GET /api/v1/audit`, which are all text; `limit` is 1 to 100, `from` is included, `to` is not. */
export const auditQuerySchema = optionalFields({
  from: instant,
  to: instant,
  limit: { type: 'string', pattern: '^(?:[1-9]\\d?|100)$', description: 'a whole number from 1 to 100' },
  cursor: { type: 'string', pattern: CURSOR_PATTERN, description: 'the next_cursor of an earlier page' },
})

export const auditQuery = compile(auditQuerySchema)

/** `asked` is written before the action; `done` or `refused` after it. */
export const AUDIT_OUTCOMES = ['asked', 'done', 'refused'] as const
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number]

/** One line of a merchant's audit. */
export const auditEntryViewSchema = requiredFields({
  at: time,
  actor: { ...text, description: 'merchant, or the name of an operator' },
  credential_id: { ...textOrNull, description: 'the credential that was used; null for operators' },
  address_prefix: { ...textOrNull, description: 'the first 24 bits of an IPv4 address, the first 48 of an IPv6 address' },
  action: text,
  target: { ...textOrNull, description: "what was acted on: a credential's id, a URL, a delivery's id" },
  outcome: { enum: AUDIT_OUTCOMES, description: 'asked is written before the action; done or refused after it' },
  count: {
    ...integer,
    description: 'how often it happened within the minute; more than 1 only for failed authentications',
  },
})
export type AuditEntryView = FromSchema<typeof auditEntryViewSchema>

export const auditResponseSchema = pageOf({ entries: listOf(auditEntryViewSchema) })
export type AuditResponse = FromSchema<typeof auditResponseSchema>

const auditText = { type: 'string', minLength: 1, maxLength: 256, format: 'plain-text' } as const
const auditTextOrNull = { ...auditText, type: ['string', 'null'] } as const

/** One entry of the audit, as `POST /internal/v1/audit` of auth-token takes it. Never with a secret. */
export const auditEntrySchema = exactFields({
  /** `merchant`, or the name of an operator. */
  who: auditText,
  /** `<what>.<done to it>`, such as `credential.create`. */
  action: auditText,
  outcome: { enum: AUDIT_OUTCOMES },
  /** The merchant concerned; `null` for an action on none or on many. */
  merchant_id: auditTextOrNull,
  /** What was acted on: a credential's id, the origin of a URL, a delivery's id. */
  target: auditTextOrNull,
  /** The credential that the caller used. */
  credential_id: auditTextOrNull,
  address_prefix: auditTextOrNull,
  request_id: auditTextOrNull,
})

export type AuditRecord = FromSchema<typeof auditEntrySchema>
export const auditEntryRequest = compile(auditEntrySchema)
