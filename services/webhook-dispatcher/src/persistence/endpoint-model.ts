import mongoose, { type Connection, type Model } from 'mongoose'

export const ENDPOINTS = 'endpoints'

export interface EndpointDocument {
  /** The merchant's id: registrations and secrets change in one guarded write. */
  _id: string
  registrations: { url: string; since: Date }[]
  secrets: { sealed: string; until: Date | null }[]
  /** Raised by every write; the guard of the next one. */
  version: number
}

const endpointSchema = new mongoose.Schema<EndpointDocument>(
  {
    _id: String,
    registrations: [new mongoose.Schema({ url: String, since: Date }, { _id: false })],
    secrets: [new mongoose.Schema({ sealed: String, until: Date }, { _id: false })],
    version: Number,
  },
  { versionKey: false, collection: ENDPOINTS },
)

export function endpointModel(connection: Connection): Model<EndpointDocument> {
  return connection.model<EndpointDocument>('Endpoint', endpointSchema)
}
