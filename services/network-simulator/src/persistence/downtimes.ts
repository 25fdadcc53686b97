import mongoose, { type Connection } from 'mongoose'
import { DOWNTIME_SEVERITIES, PAYMENT_METHODS, type Downtime } from '@gateway/contracts'

const { Schema } = mongoose

/** The downtimes that testers have set. All replicas read the same ones. */
export interface Downtimes {
  list(): Promise<Downtime[]>
  /** Replaces all of them. */
  set(downtimes: readonly Downtime[]): Promise<void>
}

const required = { required: true } as const
const downtime = new Schema(
  {
    method: { type: String, enum: PAYMENT_METHODS, ...required },
    instrument: { type: String, default: null },
    severity: { type: String, enum: DOWNTIME_SEVERITIES, ...required },
    began_at: { type: String, ...required },
    ended_at: { type: String, default: null },
  },
  { _id: false, strict: 'throw' },
)
/** One document, as the contract writes it. */
const schema = new Schema(
  { _id: { type: String, ...required }, list: { type: [downtime], ...required } },
  { collection: 'downtimes', versionKey: false, strict: 'throw' },
)
const ID = 'all'

export function mongoDowntimes(connection: Connection): Downtimes {
  const model = connection.model('Downtimes', schema)
  return {
    async list() {
      const found = await model.findById(ID).lean()
      return (found?.list ?? []).map(({ method, instrument, severity, began_at, ended_at }) => ({
        ...{ method, severity, began_at },
        ...{ instrument: instrument ?? null, ended_at: ended_at ?? null },
      }))
    },
    async set(downtimes) {
      await model.updateOne({ _id: ID }, { $set: { list: [...downtimes] } }, { upsert: true })
    },
  }
}
