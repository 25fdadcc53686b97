import type { Connection } from 'mongoose'
import { isDuplicateKey } from '@gateway/service-kit/mongo'
import type { Endpoint } from '../domain/endpoint.ts'
import { endpointIdIn, type EndpointId } from '../domain/endpoint-id.ts'
import type { UrlHealth } from '../domain/endpoint-health.ts'
import { endpointModel, type EndpointDocument, type UrlHealthDocument } from './endpoint-model.ts'

/** An endpoint and the version that guards its next change. */
export interface StoredEndpoint {
  readonly endpoint: Endpoint
  readonly version: number
}

export type Endpoints = ReturnType<typeof mongoEndpoints>

const EPOCH = new Date(0)

export function mongoEndpoints(connection: Connection) {
  const endpoints = endpointModel(connection)
  return {
    async find(endpointId: EndpointId): Promise<StoredEndpoint | undefined> {
      const found = await endpoints.findById(endpointId).lean<EndpointDocument>()
      return found ? { endpoint: toEndpoint(found), version: found.version } : undefined
    },

    /** In one query. Endpoints that do not exist are left out. */
    async findMany(endpointIds: readonly EndpointId[]): Promise<Endpoint[]> {
      // One round trip: the default first batch of a cursor ends after 101 documents.
      const batchSize = endpointIds.length + 1
      const found = await endpoints.find({ _id: { $in: [...endpointIds] } }, null, { batchSize }).lean<EndpointDocument[]>()
      return found.map(toEndpoint)
    },

    /** Saves over the version that was read, or creates the first one; false when another writer was faster. */
    async save({ id, ...fields }: Endpoint, before: StoredEndpoint | undefined): Promise<boolean> {
      const [registrations, secrets] = [[...fields.registrations], [...fields.secrets]]
      const health = fields.health.map(toHealthDocument)
      if (before) {
        const change = { $set: { registrations, secrets, health, version: before.version + 1 } }
        const { matchedCount } = await endpoints.updateOne({ _id: id, version: before.version }, change)
        return matchedCount === 1
      }
      try {
        await endpoints.create({ _id: id, registrations, secrets, health, version: 1 })
        return true
      } catch (error) {
        if (isDuplicateKey(error)) return false
        throw error
      }
    },

    /** Removes the version that was read; false when another writer was faster. */
    async remove({ endpoint, version }: StoredEndpoint): Promise<boolean> {
      const { deletedCount } = await endpoints.deleteOne({ _id: endpoint.id, version })
      return deletedCount === 1
    },

    /** Endpoints with a disabled URL, ordered by id, starting after `after`. */
    async withDisabled({ limit, after }: { limit: number; after?: EndpointId | undefined }): Promise<Endpoint[]> {
      const filter = { 'health.disabled_at': { $gt: EPOCH }, ...(after === undefined ? {} : { _id: { $gt: after } }) }
      const found = await endpoints.find(filter).sort({ _id: 1 }).limit(limit).lean<EndpointDocument[]>()
      return found.map(toEndpoint)
    },
  }
}

function toEndpoint({ _id, registrations, secrets, health }: EndpointDocument): Endpoint {
  return {
    id: endpointIdIn(_id),
    registrations: registrations.map(({ url, since }) => ({ url, since })),
    secrets: secrets.map(({ sealed, until }) => ({ sealed, until: until ?? null })),
    health: health.map(toHealth),
  }
}

function toHealth({ url, failing_since, last_failure_at, disabled_at, disabled_reason }: UrlHealthDocument): UrlHealth {
  const disabled = disabled_at && disabled_reason ? { at: disabled_at, reason: disabled_reason } : null
  return { url, failingSince: failing_since, lastFailureAt: last_failure_at, disabled }
}

function toHealthDocument({ url, failingSince, lastFailureAt, disabled }: UrlHealth): UrlHealthDocument {
  return {
    url,
    failing_since: failingSince,
    last_failure_at: lastFailureAt,
    disabled_at: disabled?.at ?? null,
    disabled_reason: disabled?.reason ?? null,
  }
}
