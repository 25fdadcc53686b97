import type { Connection } from 'mongoose'
import { driverCollection, isDuplicateKey } from '@gateway/service-kit/mongo'
import type { Endpoint } from '../domain/endpoint.ts'
import type { UrlHealth } from '../domain/endpoint-health.ts'
import { ENDPOINTS, type EndpointDocument, type UrlHealthDocument } from './endpoint-model.ts'

/** An endpoint and what guards its next change. */
export interface StoredEndpoint {
  readonly endpoint: Endpoint
  readonly version: number
}

export interface Endpoints {
  find(merchantId: string): Promise<StoredEndpoint | undefined>
  /** In one query; those that have none are left out. */
  findMany(merchantIds: readonly string[]): Promise<Endpoint[]>
  /** Saves over the version that was read, or creates the first; false when somebody else was faster. */
  save(endpoint: Endpoint, before: StoredEndpoint | undefined): Promise<boolean>
  /** Endpoints with a disabled URL, by merchant; those after `after`. */
  withDisabled(page: { limit: number; after?: string | undefined }): Promise<Endpoint[]>
}

const EPOCH = new Date(0)

export function mongoEndpoints(connection: Connection): Endpoints {
  const endpoints = driverCollection<EndpointDocument>(connection, ENDPOINTS)
  return {
    async find(merchantId) {
      const found = await endpoints.findOne({ _id: merchantId })
      return found ? { endpoint: toEndpoint(found), version: found.version } : undefined
    },

    async findMany(merchantIds) {
      // One batch: a cursor's first one would end after 101 documents.
      const batchSize = merchantIds.length + 1
      const found = await endpoints.find({ _id: { $in: [...merchantIds] } }, { batchSize }).toArray()
      return found.map(toEndpoint)
    },

    async save({ merchantId, ...fields }, before) {
      const [registrations, secrets] = [[...fields.registrations], [...fields.secrets]]
      const health = fields.health.map(toHealthDocument)
      if (before) {
        const change = { $set: { registrations, secrets, health, version: before.version + 1 } }
        const { matchedCount } = await endpoints.updateOne({ _id: merchantId, version: before.version }, change)
        return matchedCount === 1
      }
      try {
        await endpoints.insertOne({ _id: merchantId, registrations, secrets, health, version: 1 })
        return true
      } catch (error) {
        if (isDuplicateKey(error)) return false
        throw error
      }
    },

    async withDisabled({ limit, after }) {
      const filter = { 'health.disabled_at': { $gt: EPOCH }, ...(after === undefined ? {} : { _id: { $gt: after } }) }
      const found = await endpoints.find(filter).sort({ _id: 1 }).limit(limit).toArray()
      return found.map(toEndpoint)
    },
  }
}

function toEndpoint({ _id, registrations, secrets, health = [] }: EndpointDocument): Endpoint {
  return { merchantId: _id, registrations, secrets, health: health.map(toHealth) }
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
