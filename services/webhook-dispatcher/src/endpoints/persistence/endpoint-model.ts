import mongoose, { type Connection, type InferRawDocType, type Model } from 'mongoose'
import { DISABLED_REASONS } from '../domain/endpoint-health.ts'

export const ENDPOINTS = 'endpoints'

const text = { type: String, required: true } as const
const instant = { type: Date, required: true } as const
const embedded = { _id: false, strict: 'throw' } as const

const registrationFields = { url: text, since: instant } as const
const secretFields = { sealed: text, until: Date } as const
const healthFields = {
  url: text,
  failing_since: instant,
  last_failure_at: instant,
  disabled_at: Date,
  disabled_reason: { type: String, enum: DISABLED_REASONS },
} as const

const endpointFields = {
  /** See `EndpointId`. Registrations and secrets change in one guarded write. */
  _id: text,
  registrations: { type: [new mongoose.Schema(registrationFields, embedded)], required: true },
  secrets: { type: [new mongoose.Schema(secretFields, embedded)], required: true },
  /** Only of URLs that fail. */
  health: { type: [new mongoose.Schema(healthFields, embedded)], required: true },
  /** Raised by every write; guards the next one. */
  version: { type: Number, required: true },
} as const

export type EndpointDocument = InferRawDocType<typeof endpointFields>
export type UrlHealthDocument = EndpointDocument['health'][number]

const endpointSchema = new mongoose.Schema(endpointFields, { versionKey: false, collection: ENDPOINTS, strict: 'throw' })
// The operators' list of disabled endpoints.
endpointSchema.index({ 'health.disabled_at': 1 }, { name: 'disabled' })

export function endpointModel(connection: Connection): Model<EndpointDocument> {
  return connection.model<EndpointDocument>('Endpoint', endpointSchema)
}
