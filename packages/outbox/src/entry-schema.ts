import mongoose from 'mongoose'

/** How a mongoose schema describes an `OutboxEntry`: `outbox: { type: [outboxEntrySchema], required: true }`. */
export const outboxEntrySchema = mongoose.Schema.create(
  {
    id: { type: String, required: true },
    type: { type: String, required: true },
    at: { type: Date, required: true },
    /** May be empty, which `required` would refuse. */
    correlation_id: { type: String, default: '' },
    body: { type: String, required: true },
    traceparent: { type: String, allowNull: false },
    maybe_published: { type: Boolean, allowNull: false },
  } as const,
  { _id: false, strict: 'throw' },
)
