import type { OwnIndexesOf } from '@gateway/service-kit/mongo'
import { deliveryIndexes } from '../deliveries/index.ts'
import { endpointIndexes } from '../endpoints/index.ts'
import { copyIndexes } from '../listening/index.ts'

/** The indexes that this service needs to start. Building them also applies a changed retention. */
export function indexesFor({ retentionMs }: { readonly retentionMs: number }): OwnIndexesOf {
  return (connection) => [endpointIndexes(connection), ...deliveryIndexes(connection, retentionMs), copyIndexes(connection)]
}
