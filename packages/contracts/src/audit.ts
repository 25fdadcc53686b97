import { AUDIT_OUTCOMES } from './http/credentials.ts'
import { closed } from './schema-parts.ts'
import { compile, type FromSchema } from './schema.ts'

const text = { type: 'string', minLength: 1, maxLength: 256, format: 'plain-text' } as const
const textOrNull = { ...text, type: ['string', 'null'] } as const

/** One entry of the audit, as `POST /internal/v1/audit` of auth-token takes it. Never with a secret. */
export const auditEntrySchema = closed({
  required: ['who', 'action', 'outcome', 'merchant_id', 'target', 'credential_id', 'address_prefix', 'request_id'],
  properties: {
    /** `merchant`, or the name of an operator. */
    who: text,
    /** `<what>.<done to it>`, such as `credential.create`. */
    action: text,
    outcome: { enum: AUDIT_OUTCOMES },
    /** The merchant concerned; `null` for an action on none or on many. */
    merchant_id: textOrNull,
    /** What was acted on: a credential's id, the origin of a URL, a delivery's id. */
    target: textOrNull,
    /** The credential that the caller used. */
    credential_id: textOrNull,
    address_prefix: textOrNull,
    request_id: textOrNull,
  },
})

export type AuditRecord = FromSchema<typeof auditEntrySchema>
export const auditEntryRequest = compile(auditEntrySchema)
