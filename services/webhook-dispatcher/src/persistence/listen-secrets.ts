import type { Connection } from 'mongoose'
import { driverCollection, isDuplicateKey } from '@gateway/service-kit/mongo'
import { LISTEN_SECRETS, type ListenSecretDocument } from './copy-model.ts'

/** The sealed secrets that sign copies, one for each merchant that has listened. */
export interface ListenSecrets {
  find(merchantId: string): Promise<string | undefined>
  /** False when the merchant has one already. */
  add(merchantId: string, sealed: string, now: Date): Promise<boolean>
  /** The next session makes another one. False when there was none. */
  remove(merchantId: string): Promise<boolean>
}

export function mongoListenSecrets(connection: Connection): ListenSecrets {
  const secrets = driverCollection<ListenSecretDocument>(connection, LISTEN_SECRETS)
  return {
    find: async (merchantId) => (await secrets.findOne({ _id: merchantId }))?.sealed,
    async add(merchantId, sealed, now) {
      try {
        await secrets.insertOne({ _id: merchantId, sealed, created_at: now })
        return true
      } catch (error) {
        if (isDuplicateKey(error)) return false
        throw error
      }
    },
    async remove(merchantId) {
      const { deletedCount } = await secrets.deleteOne({ _id: merchantId })
      return deletedCount === 1
    },
  }
}
