import mongoose, { type Connection, type InferRawDocType, type Model } from 'mongoose'
import type { Queue } from '@gateway/messaging'

const text = { type: String, required: true } as const

const waitQueueFields = {
  /** The queue's name on the broker. */
  _id: text,
  /** As the broker takes them: their names are the broker's, so they have no schema of their own. */
  arguments: { type: mongoose.Schema.Types.Mixed, required: true },
  bindings: {
    type: [new mongoose.Schema({ exchange: text, routingKey: text }, { _id: false, strict: 'throw' })],
    required: true,
  },
  in_use_at: { type: Date, required: true },
  cut_off_at: Date,
} as const

export type WaitQueueDocument = Omit<InferRawDocType<typeof waitQueueFields>, 'arguments'> & Pick<Queue, 'arguments'>

const waitQueueSchema = new mongoose.Schema(waitQueueFields, { versionKey: false, collection: 'wait_queues', strict: 'throw' })

export function waitQueueModel(connection: Connection): Model<WaitQueueDocument> {
  return connection.model<WaitQueueDocument>('WaitQueue', waitQueueSchema)
}
