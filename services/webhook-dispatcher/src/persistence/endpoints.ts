import type { Connection } from 'mongoose'
import { driverCollection, isDuplicateKey } from '@gateway/service-kit'
import type { Endpoint } from '../domain/endpoint.ts'
import { ENDPOINTS, type EndpointDocument } from './endpoint-model.ts'

/** An endpoint and what guards its next change. */
export interface StoredEndpoint {
  readonly endpoint: Endpoint
  readonly version: number
}

export interface Endpoints {
  find(merchantId: string): Promise<StoredEndpoint | undefined>
  /** Saves over the version that was read, or creates the first; false when somebody else was faster. */
  save(endpoint: Endpoint, before: StoredEndpoint | undefined): Promise<boolean>
}

export function mongoEndpoints(connection: Connection): Endpoints {
  const endpoints = driverCollection<EndpointDocument>(connection, ENDPOINTS)
  return {
    async find(merchantId) {
      const found = await endpoints.findOne({ _id: merchantId })
      if (!found) return undefined
      const { registrations, secrets, version } = found
      return { endpoint: { merchantId, registrations, secrets }, version }
    },

    async save({ merchantId, ...fields }, before) {
      const [registrations, secrets] = [[...fields.registrations], [...fields.secrets]]
      if (before) {
        const change = { $set: { registrations, secrets, version: before.version + 1 } }
        const { matchedCount } = await endpoints.updateOne({ _id: merchantId, version: before.version }, change)
        return matchedCount === 1
      }
      try {
        await endpoints.insertOne({ _id: merchantId, registrations, secrets, version: 1 })
        return true
      } catch (error) {
        if (isDuplicateKey(error)) return false
        throw error
      }
    },
  }
}
