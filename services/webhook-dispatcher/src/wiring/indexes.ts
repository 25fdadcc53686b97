import type { Connection } from 'mongoose'
import { indexesOfModel, type OwnIndexes, type OwnIndexesOf } from '@gateway/service-kit/mongo'
import { copyModel } from '../listening/index.ts'
import { deliveryModel, deliveryRetention } from '../deliveries/index.ts'
import { endpointModel } from '../endpoints/index.ts'

/** The indexes that this service needs to start. Building them also applies a changed retention. */
export function indexesFor({ retentionMs }: { readonly retentionMs: number }): OwnIndexesOf {
  return (connection: Connection): readonly OwnIndexes[] => [
    indexesOfModel(endpointModel(connection)),
    indexesOfModel(deliveryModel(connection)),
    indexesOfModel(copyModel(connection)),
    deliveryRetention(connection, retentionMs),
  ]
}
