import type { Connection } from 'mongoose'
import { indexesOfModel, type OwnIndexes } from '@gateway/service-kit/mongo'
import { auditModel } from './audit-log.ts'
import { merchantModel } from './merchants.ts'

/** All that this service does not run without. */
export function indexesOf(connection: Connection): readonly OwnIndexes[] {
  return [merchantModel(connection), auditModel(connection)].map(indexesOfModel)
}
