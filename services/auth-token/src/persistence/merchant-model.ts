import { SCOPES } from '@gateway/contracts'
import mongoose, { type Connection, type InferRawDocTypeFromSchema } from 'mongoose'

const text = { type: String, required: true } as const
const instant = { type: Date, required: true } as const

const credentialSchema = mongoose.Schema.create(
  {
    key_id: text,
    /** `null` once the credential is revoked. */
    sealed_secret: { type: String, default: null },
    status: { type: String, enum: ['active', 'revoked'] as const, required: true },
    created_at: instant,
    revoked_at: { type: Date, default: null },
    scopes: { type: [{ type: String, enum: SCOPES }], required: true },
    label: { type: String, default: null },
    expires_at: { type: Date, default: null },
    /** The id of the credential that made it, or `operator`. */
    made_by: text,
  },
  { _id: false, strict: 'throw' },
)

const merchantSchema = mongoose.Schema.create(
  {
    _id: text,
    name: text,
    vpa: text,
    mcc: text,
    created_at: instant,
    /** How many credentials are active; with the list's length it shows that no other replica changed the list. */
    live_credentials: { type: Number, required: true },
    credentials: { type: [credentialSchema], required: true },
  },
  { collection: 'merchants', strict: 'throw', strictQuery: 'throw', versionKey: false },
)
merchantSchema.index({ 'credentials.key_id': 1 }, { unique: true })
merchantSchema.index({ 'credentials.revoked_at': 1 })

/** A merchant with its credentials, as stored. */
export type MerchantDocument = InferRawDocTypeFromSchema<typeof merchantSchema>
export type CredentialDocument = InferRawDocTypeFromSchema<typeof credentialSchema>

export function merchantModel(connection: Connection) {
  return connection.model('Merchant', merchantSchema)
}
