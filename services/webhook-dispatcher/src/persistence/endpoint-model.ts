import mongoose, { type Connection, type Model } from 'mongoose'
import { DISABLED_REASONS, type DisabledReason } from '../domain/endpoint-health.ts'

export const ENDPOINTS = 'endpoints'

export interface UrlHealthDocument {
  url: string
  failing_since: Date
  last_failure_at: Date
  disabled_at: Date | null
  disabled_reason: DisabledReason | null
}

export interface EndpointDocument {
  /** The merchant's id: registrations and secrets change in one guarded write. */
  _id: string
  registrations: { url: string; since: Date }[]
  secrets: { sealed: string; until: Date | null }[]
  /** Only of URLs that fail; missing in documents that are older than it. */
  health?: UrlHealthDocument[]
  /** Raised by every write; the guard of the next one. */
  version: number
}

const healthSchema = new mongoose.Schema<UrlHealthDocument>(
  {
    url: String,
    failing_since: Date,
    last_failure_at: Date,
    disabled_at: Date,
    disabled_reason: { type: String, enum: [...DISABLED_REASONS, null] },
  },
  { _id: false },
)

const endpointSchema = new mongoose.Schema<EndpointDocument>(
  {
    _id: String,
    registrations: [new mongoose.Schema({ url: String, since: Date }, { _id: false })],
    secrets: [new mongoose.Schema({ sealed: String, until: Date }, { _id: false })],
    health: [healthSchema],
    version: Number,
  },
  { versionKey: false, collection: ENDPOINTS },
)
// The operators' list of what is disabled.
endpointSchema.index({ 'health.disabled_at': 1 }, { name: 'disabled' })

export function endpointModel(connection: Connection): Model<EndpointDocument> {
  return connection.model<EndpointDocument>('Endpoint', endpointSchema)
}
