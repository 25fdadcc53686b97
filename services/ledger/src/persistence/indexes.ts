import type { Connection } from 'mongoose'
import { indexesOfModel, type OwnIndexes } from '@gateway/service-kit/mongo'
import { entryModel } from './entry-model.ts'
import { paymentModel } from './payment-model.ts'
import { refundModel } from './refund-model.ts'
import { differenceModel, settlementModel } from './settlement-model.ts'

/** The indexes without which this service does not start. */
export function indexesOf(connection: Connection): readonly OwnIndexes[] {
  const models = [paymentModel(connection), refundModel(connection), entryModel(connection)]
  return [...models, differenceModel(connection), settlementModel(connection)].map((model) => indexesOfModel(model))
}
