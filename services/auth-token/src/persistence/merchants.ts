import type { Connection } from 'mongoose'
import type { Credential, Merchant, OwnedCredential } from '../domain/merchant.ts'
import { merchantModel, type CredentialDocument, type MerchantDocument } from './merchant-model.ts'

export interface Merchants {
  insert(merchant: Merchant): Promise<void>
  /** At most `limit` merchants in the order of their ids, starting after `afterId`. */
  page(limit: number, afterId: string | undefined): Promise<Merchant[]>
  find(merchantId: string): Promise<Merchant | undefined>
  findCredential(keyId: string): Promise<OwnedCredential | undefined>
  /** False when the merchant's credentials are no longer those of `merchant`. */
  addCredential(merchant: Merchant, credential: Credential): Promise<boolean>
  /** Removes credentials from the merchant's list. Does nothing when the list is no longer that of `merchant`. */
  removeCredentials(merchant: Merchant, keyIds: readonly string[]): Promise<void>
  /** Revokes the credential and deletes its secret. False when it is not an active credential of this merchant. */
  revokeCredential(merchantId: string, keyId: string, now: Date): Promise<boolean>
  /** Ids of all credentials revoked at `since` or later. */
  revokedSince(since: Date): Promise<string[]>
}

export function mongoMerchants(connection: Connection): Merchants {
  const model = merchantModel(connection)
  return {
    async insert(merchant) {
      await model.create(toDocument(merchant))
    },
    async page(limit, afterId) {
      const after = afterId === undefined ? {} : { _id: { $gt: afterId } }
      const found = await model.find(after).sort({ _id: 1 }).limit(limit).lean()
      return found.map(toMerchant)
    },
    async find(merchantId) {
      const found = await model.findById(merchantId).lean()
      return found ? toMerchant(found) : undefined
    },
    async findCredential(keyId) {
      // Each exchange reads this: only the one credential of all that the merchant has.
      const ofKey = { name: 1, vpa: 1, mcc: 1, credentials: { $elemMatch: { key_id: keyId } } } as const
      const found = await model.findOne({ 'credentials.key_id': keyId }, ofKey).lean()
      const [credential] = found?.credentials ?? []
      if (!found || !credential) return undefined
      const { name, vpa, mcc } = found
      return { merchantId: found._id, merchant: { name, vpa, mcc }, credential: toCredential(credential) }
    },
    async addCredential(merchant, credential) {
      const result = await model.updateOne(unchanged(merchant), {
        $push: { credentials: toCredentialDocument(credential) },
        $inc: { live_credentials: 1 },
      })
      return result.modifiedCount === 1
    },
    async removeCredentials(merchant, keyIds) {
      const removed = merchant.credentials.filter(({ keyId }) => keyIds.includes(keyId))
      await model.updateOne(unchanged(merchant), {
        $pull: { credentials: { key_id: { $in: keyIds } } },
        $inc: { live_credentials: -activeOf(removed) },
      })
    },
    async revokeCredential(merchantId, keyId, now) {
      const result = await model.updateOne(
        { _id: merchantId, credentials: { $elemMatch: { key_id: keyId, status: 'active' } } },
        {
          $set: { 'credentials.$.status': 'revoked', 'credentials.$.revoked_at': now, 'credentials.$.sealed_secret': null },
          $inc: { live_credentials: -1 },
        },
      )
      return result.modifiedCount === 1
    },
    async revokedSince(since) {
      const revoked = model.find({ 'credentials.revoked_at': { $gte: since } })
      const found = await revoked.select('credentials.key_id credentials.revoked_at').lean()
      return found
        .flatMap(({ credentials }) => credentials)
        .filter(({ revoked_at: revokedAt }) => revokedAt && revokedAt >= since)
        .map((credential) => credential.key_id)
    },
  }
}

/** Matches while no credential was added, revoked or removed since `merchant` was read. */
function unchanged({ merchantId, credentials }: Merchant) {
  return { _id: merchantId, credentials: { $size: credentials.length }, live_credentials: activeOf(credentials) }
}

function activeOf(credentials: readonly Credential[]): number {
  return credentials.filter(({ status }) => status === 'active').length
}

function toDocument(merchant: Merchant): MerchantDocument {
  return {
    _id: merchant.merchantId,
    name: merchant.name,
    vpa: merchant.vpa,
    mcc: merchant.mcc,
    created_at: merchant.createdAt,
    live_credentials: activeOf(merchant.credentials),
    credentials: merchant.credentials.map(toCredentialDocument),
  }
}

function toMerchant({ _id, name, vpa, mcc, created_at: createdAt, credentials }: MerchantDocument): Merchant {
  return { merchantId: _id, name, vpa, mcc, createdAt, credentials: credentials.map(toCredential) }
}

function toCredentialDocument(credential: Credential): CredentialDocument {
  return {
    key_id: credential.keyId,
    sealed_secret: credential.sealedSecret,
    status: credential.status,
    created_at: credential.createdAt,
    revoked_at: credential.revokedAt,
    scopes: [...credential.scopes],
    label: credential.label,
    expires_at: credential.expiresAt,
    made_by: credential.madeBy,
  }
}

function toCredential(document: CredentialDocument): Credential {
  return {
    keyId: document.key_id,
    sealedSecret: document.sealed_secret ?? null,
    status: document.status,
    createdAt: document.created_at,
    revokedAt: document.revoked_at ?? null,
    scopes: document.scopes,
    label: document.label ?? null,
    expiresAt: document.expires_at ?? null,
    madeBy: document.made_by,
  }
}
