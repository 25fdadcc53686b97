import mongoose, { type Connection, type InferRawDocTypeFromSchema } from 'mongoose'

const quarantinedReportSchema = mongoose.Schema.create(
  {
    /** The digest of the report's bytes: the same report again is the same entry. */
    _id: { type: String, required: true },
    reason: { type: String, enum: ['unknown_transaction', 'unreadable'] as const, required: true },
    /** The start of the report; everything that could hold a card number is masked. */
    excerpt: { type: String, default: '' },
    received_at: { type: Date, required: true },
  },
  { collection: 'quarantined_reports', versionKey: false, strict: 'throw' },
)

/** An authentic report that belongs to no known order, or that cannot be read. */
export type QuarantinedReport = InferRawDocTypeFromSchema<typeof quarantinedReportSchema>

export interface Quarantine {
  /** Keeps a report for an operator to look at; false when this very report is kept already. */
  add(report: QuarantinedReport): Promise<boolean>
}

export function mongoQuarantine(connection: Connection): Quarantine {
  const model = connection.model('QuarantinedReport', quarantinedReportSchema)
  return {
    async add({ _id, ...fields }) {
      const result = await model.updateOne({ _id }, { $setOnInsert: fields }, { upsert: true })
      return result.upsertedCount === 1
    },
  }
}
