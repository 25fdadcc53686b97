import type { Connection } from 'mongoose'
import { indexesOfModel, type OwnIndexes } from '@gateway/service-kit/mongo'
import { transactionModel } from './transaction-document.ts'

/** The indexes without which this service does not start. */
export function indexesOf(connection: Connection): readonly OwnIndexes[] {
  return [indexesOfModel(transactionModel(connection))]
}
