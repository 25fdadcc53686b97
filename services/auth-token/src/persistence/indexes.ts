import type { Connection } from 'mongoose'
import { indexesOfModel, type OwnIndexes } from '@gateway/service-kit/mongo'
import { auditModel } from './audit-log.ts'
import { merchantModel } from './merchant-model.ts'

/** The indexes that this service needs before it starts. */
export function indexesOf(connection: Connection): readonly OwnIndexes[] {
  return [merchantModel(connection), auditModel(connection)].map(indexesOfModel)
}
