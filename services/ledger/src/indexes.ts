import type { Connection } from 'mongoose'
import type { OwnIndexes } from '@gateway/service-kit/mongo'
import { listIndexes } from './lists/index.ts'
import { reconciliationIndexes } from './reconciliation/index.ts'

/** The indexes without which this service does not start. */
export function indexesOf(connection: Connection): readonly OwnIndexes[] {
  return [...listIndexes(connection), ...reconciliationIndexes(connection)]
}
