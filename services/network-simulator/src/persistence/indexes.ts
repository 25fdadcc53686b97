import type { Connection } from 'mongoose'
import { indexesOfModel, type OwnIndexes } from '@gateway/service-kit/mongo'
import { paymentModel } from './payment-model.ts'

/** All that this service does not run without. */
export function indexesOf(connection: Connection): readonly OwnIndexes[] {
  return [indexesOfModel(paymentModel(connection))]
}
