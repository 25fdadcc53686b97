import type { Connection } from 'mongoose'
import { indexesOfModel, type OwnIndexes } from '@gateway/service-kit/mongo'
import { orderModel } from './orders.ts'

/** All that this service does not run without. */
export function indexesOf(connection: Connection): readonly OwnIndexes[] {
  return [indexesOfModel(orderModel(connection))]
}
