import type { Connection } from 'mongoose'
import {
  afterId,
  driverCollection,
  indexesOfCollection,
  isDuplicateKey,
  type OwnIndexes,
  pagesById,
  type SealedPlace,
  type SealedValue,
} from '@gateway/service-kit/mongo'
import type { Endpoint } from '../domain/endpoint.ts'
import { endpointIdIn, type EndpointId } from '../domain/endpoint-id.ts'

/** An endpoint and the version that guards its next change. */
export interface StoredEndpoint {
  readonly endpoint: Endpoint
  readonly version: number
}

/** An endpoint as it is stored. Registrations and secrets change in one guarded write. */
export interface EndpointDocument extends Omit<Endpoint, 'id'> {
  readonly _id: string
  /** Raised by every write; guards the next one. */
  readonly version: number
}

export type Endpoints = ReturnType<typeof mongoEndpoints>

const EPOCH = new Date(0)

function endpointCollection(connection: Connection) {
  return driverCollection<EndpointDocument>(connection, 'endpoints')
}

/** For the operators' list of disabled endpoints. */
export function endpointIndexes(connection: Connection): OwnIndexes {
  return indexesOfCollection(endpointCollection(connection), [{ name: 'disabled', key: { 'health.disabled.at': 1 } }])
}

export function mongoEndpoints(connection: Connection) {
  const endpoints = endpointCollection(connection)
  return {
    async find(endpointId: EndpointId): Promise<StoredEndpoint | undefined> {
      const found = await endpoints.findOne({ _id: endpointId })
      return found ? { endpoint: toEndpoint(found), version: found.version } : undefined
    },

    /** In one query. Endpoints that do not exist are left out. */
    async findMany(endpointIds: readonly EndpointId[]): Promise<Endpoint[]> {
      // One round trip: the default first batch of a cursor ends after 101 documents.
      const batchSize = endpointIds.length + 1
      return (await endpoints.find({ _id: { $in: [...endpointIds] } }, { batchSize }).toArray()).map(toEndpoint)
    },

    /** Saves over the version that was read, or creates the first one; false when another writer was faster. */
    async save({ id, ...fields }: Endpoint, before: StoredEndpoint | undefined): Promise<boolean> {
      if (before) {
        const change = { $set: { ...fields, version: before.version + 1 } }
        return (await endpoints.updateOne({ _id: id, version: before.version }, change)).matchedCount === 1
      }
      try {
        await endpoints.insertOne({ _id: id, ...fields, version: 1 })
        return true
      } catch (error) {
        if (isDuplicateKey(error)) return false
        throw error
      }
    },

    /** Removes the version that was read; false when another writer was faster. */
    async remove({ endpoint, version }: StoredEndpoint): Promise<boolean> {
      return (await endpoints.deleteOne({ _id: endpoint.id, version })).deletedCount === 1
    },

    /** Endpoints with a disabled URL, ordered by id, starting after `after`. */
    async withDisabled({ limit, after }: { limit: number; after?: EndpointId | undefined }): Promise<Endpoint[]> {
      const filter = { 'health.disabled.at': { $gt: EPOCH }, ...(after === undefined ? {} : { _id: { $gt: after } }) }
      return (await endpoints.find(filter).sort({ _id: 1 }).limit(limit).toArray()).map(toEndpoint)
    },
  }
}

function toEndpoint({ _id, version: _version, ...fields }: EndpointDocument): Endpoint {
  return { id: endpointIdIn(_id), ...fields }
}

/** Everything that this service stores sealed: the merchants' signing secrets, including those kept after a rotation or for copies. */
export function sealedSecrets(connection: Connection): readonly SealedPlace[] {
  const endpoints = endpointCollection(connection)

  function valuesOf({ _id, secrets }: EndpointDocument): SealedValue[] {
    return secrets.map(({ sealed }) => ({
      id: _id,
      sealed,
      context: _id,
      async replace(text) {
        // The raised version makes a concurrent writer, who read the old secret, read again.
        const change = { $set: { 'secrets.$.sealed': text }, $inc: { version: 1 } }
        return (await endpoints.updateOne({ _id, secrets: { $elemMatch: { sealed } } }, change)).modifiedCount === 1
      },
    }))
  }

  return [
    {
      name: 'webhook secrets',
      async *pages(size) {
        for await (const page of pagesById(size, (after) => endpoints.find(afterId(after)))) yield page.flatMap(valuesOf)
      },
    },
  ]
}
