import type { Connection } from 'mongoose'
import { afterId as after, driverCollection } from '@gateway/service-kit/mongo'
import type { Credential, Merchant, OwnedCredential } from '../domain/merchant.ts'

export type Merchants = ReturnType<typeof mongoMerchants>

/** The stored merchants with their credentials. */
export function mongoMerchants(connection: Connection) {
  const merchants = driverCollection<Merchant>(connection, 'merchants')
  return {
    async insert(merchant: Merchant): Promise<void> {
      await merchants.insertOne(merchant)
    },
    /** At most `limit` merchants in the order of their ids, starting after `afterId`. */
    page: (limit: number, afterId: string | undefined): Promise<Merchant[]> =>
      merchants.find(after(afterId)).sort({ _id: 1 }).limit(limit).toArray(),
    find: (merchantId: string): Promise<Merchant | null> => merchants.findOne({ _id: merchantId }),
    async findCredential(keyId: string): Promise<OwnedCredential | undefined> {
      // Each exchange reads this: only the one credential of all that the merchant has.
      const projection = { name: 1, vpa: 1, mcc: 1, credentials: { $elemMatch: { key_id: keyId } } }
      const found = await merchants.findOne({ 'credentials.key_id': keyId }, { projection })
      const [credential] = found?.credentials ?? []
      if (!found || !credential) return undefined
      const { _id: merchantId, name, vpa, mcc } = found
      return { merchantId, merchant: { name, vpa, mcc }, credential }
    },
    /** False when a credential was added, revoked or removed since the merchant was read. */
    async addCredential({ _id, version }: Merchant, credential: Credential): Promise<boolean> {
      const change = { $push: { credentials: credential }, $inc: { version: 1 } }
      return (await merchants.updateOne({ _id, version }, change)).modifiedCount === 1
    },
    /** Removes credentials from the merchant's list. Does nothing when the list has changed since the merchant was read. */
    async removeCredentials({ _id, version }: Merchant, keyIds: readonly string[]): Promise<void> {
      const change = { $pull: { credentials: { key_id: { $in: [...keyIds] } } }, $inc: { version: 1 } }
      await merchants.updateOne({ _id, version }, change)
    },
    /** Revokes the credential and deletes its secret. Does nothing when it is not an active credential of this merchant. */
    async revokeCredential(merchantId: string, keyId: string, now: Date): Promise<void> {
      await merchants.updateOne(
        { _id: merchantId, credentials: { $elemMatch: { key_id: keyId, status: 'active' } } },
        {
          $set: { 'credentials.$.status': 'revoked', 'credentials.$.revoked_at': now, 'credentials.$.sealed_secret': null },
          $inc: { version: 1 },
        },
      )
    },
    /** Ids of all credentials revoked at `since` or later. */
    async revokedSince(since: Date): Promise<string[]> {
      const projection = { 'credentials.key_id': 1, 'credentials.revoked_at': 1 }
      const found = await merchants.find({ 'credentials.revoked_at': { $gte: since } }, { projection }).toArray()
      return found
        .flatMap(({ credentials }) => credentials)
        .filter(({ revoked_at: revokedAt }) => revokedAt && revokedAt >= since)
        .map((credential) => credential.key_id)
    },
  }
}

export type CredentialUses = ReturnType<typeof mongoCredentialUses>

/** When each credential was last used. Apart from the merchants' documents, which only change with the credentials. */
export function mongoCredentialUses(connection: Connection) {
  const uses = driverCollection<{ readonly _id: string; readonly at: Date }>(connection, 'credential_uses')
  return {
    async lastUses(keyIds: readonly string[]): Promise<ReadonlyMap<string, Date>> {
      const found = await uses.find({ _id: { $in: [...keyIds] } }).toArray()
      return new Map(found.map(({ _id, at }) => [_id, at]))
    },
    /** A use that is older than the stored one changes nothing. */
    async record(latest: ReadonlyMap<string, Date>): Promise<void> {
      const updates = [...latest].map(([_id, at]) => ({
        updateOne: { filter: { _id }, update: { $max: { at } }, upsert: true },
      }))
      await uses.bulkWrite(updates, { ordered: false })
    },
  }
}
