import mongoose, { type Connection, type InferRawDocType, type Model } from 'mongoose'
import { COPY_TTL_MS } from '../domain/copy.ts'

export const COPIES = 'copies'

const text = { type: String, required: true } as const
const number = { type: Number, required: true } as const
const instant = { type: Date, required: true } as const

const copyFields = {
  /** The event's id. */
  _id: text,
  /** Where it is in the order of all copies: each is one more than the latest before it. */
  position: number,
  merchant_id: text,
  sequence: number,
  /** The exact text that the delivery sends. */
  body: text,
  /** As in the record of the delivery. */
  created_at: instant,
  written_at: instant,
} as const

export type CopyDocument = InferRawDocType<typeof copyFields>

const copySchema = new mongoose.Schema(copyFields, { versionKey: false, collection: COPIES, strict: 'throw' })
// Two replicas never give out the same position: a reader that has seen one has seen all before it.
copySchema.index({ position: 1 }, { unique: true })
copySchema.index({ merchant_id: 1, position: 1 })
copySchema.index({ written_at: 1 }, { expireAfterSeconds: COPY_TTL_MS / 1000 })

export function copyModel(connection: Connection): Model<CopyDocument> {
  return connection.model<CopyDocument>('Copy', copySchema)
}
