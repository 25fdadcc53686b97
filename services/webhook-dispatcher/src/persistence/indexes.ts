import type { Connection } from 'mongoose'
import { indexesOfModel, type OwnIndexes, type OwnIndexesOf } from '@gateway/service-kit/mongo'
import { copyModel } from './copy-model.ts'
import { deliveryModel } from './delivery-model.ts'
import { deliveryRetention } from './delivery-retention.ts'
import { endpointModel } from './endpoint-model.ts'

/** The indexes that this service needs to start. Building them also applies a changed retention. */
export function indexesFor({ retentionMs }: { readonly retentionMs: number }): OwnIndexesOf {
  return (connection: Connection): readonly OwnIndexes[] => [
    indexesOfModel(endpointModel(connection)),
    indexesOfModel(deliveryModel(connection)),
    indexesOfModel(copyModel(connection)),
    deliveryRetention(connection, retentionMs),
  ]
}
