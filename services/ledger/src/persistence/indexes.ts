import type { Connection } from 'mongoose'
import { indexesOfModel, type OwnIndexes } from '@gateway/service-kit/mongo'
import { entryModel } from './entry-model.ts'
import { paymentModel } from './payment-model.ts'
import { refundModel } from './refund-model.ts'

/** The indexes without which this service does not start. */
export function indexesOf(connection: Connection): readonly OwnIndexes[] {
  return [paymentModel(connection), refundModel(connection), entryModel(connection)].map((model) => indexesOfModel(model))
}
