import mongoose, { type Connection } from 'mongoose'
import { driverCollection } from '@gateway/service-kit/mongo'
import { MAX_LIVE_CREDENTIALS, type Credential, type Merchant, type OwnedCredential } from '../domain/merchant.ts'

export const MERCHANTS = 'merchants'

export interface CredentialDocument {
  key_id: string
  sealed_secret: string | null
  status: Credential['status']
  created_at: Date
  revoked_at: Date | null
}

export interface MerchantDocument {
  _id: string
  name: string
  vpa: string
  mcc: string
  created_at: Date
  /** How many of the credentials are active: what the guard of the two counts. */
  live_credentials: number
  credentials: CredentialDocument[]
}

const merchantSchema = new mongoose.Schema<MerchantDocument>(
  {
    _id: String,
    name: String,
    vpa: String,
    mcc: String,
    created_at: Date,
    live_credentials: Number,
    credentials: [
      new mongoose.Schema<CredentialDocument>(
        { key_id: String, sealed_secret: String, status: String, created_at: Date, revoked_at: Date },
        { _id: false },
      ),
    ],
  },
  { collection: MERCHANTS, strictQuery: 'throw', versionKey: false },
)
merchantSchema.index({ 'credentials.key_id': 1 }, { unique: true })
merchantSchema.index({ 'credentials.revoked_at': 1 })

export function merchantModel(connection: Connection) {
  return connection.model('Merchant', merchantSchema)
}

export interface Merchants {
  insert(merchant: Merchant): Promise<void>
  /** By id, from the one after `afterId`, at most `limit`. */
  page(limit: number, afterId: string | undefined): Promise<Merchant[]>
  exists(merchantId: string): Promise<boolean>
  findCredential(keyId: string): Promise<OwnedCredential | undefined>
  /** False when the merchant is unknown or has two live credentials already. */
  addCredential(merchantId: string, credential: Credential): Promise<boolean>
  /** Makes the credential useless and forgets its secret; false when it is not an active one of this merchant. */
  revokeCredential(merchantId: string, keyId: string, now: Date): Promise<boolean>
  /** Ids of all credentials revoked at `since` or later. */
  revokedSince(since: Date): Promise<string[]>
}

export function mongoMerchants(connection: Connection): Merchants {
  const collection = driverCollection<MerchantDocument>(connection, MERCHANTS)
  return {
    async insert(merchant) {
      await collection.insertOne(toDocument(merchant))
    },
    async page(limit, afterId) {
      const after = afterId === undefined ? {} : { _id: { $gt: afterId } }
      const found = await collection.find(after).sort({ _id: 1 }).limit(limit).toArray()
      return found.map(toMerchant)
    },
    exists: async (merchantId) => (await collection.countDocuments({ _id: merchantId }, { limit: 1 })) === 1,
    async findCredential(keyId) {
      const found = await collection.findOne({ 'credentials.key_id': keyId })
      const credential = found?.credentials.find((candidate) => candidate.key_id === keyId)
      if (!found || !credential) return undefined
      const { name, vpa, mcc } = found
      return { merchantId: found._id, merchant: { name, vpa, mcc }, credential: toCredential(credential) }
    },
    async addCredential(merchantId, credential) {
      const result = await collection.updateOne(
        { _id: merchantId, live_credentials: { $lt: MAX_LIVE_CREDENTIALS } },
        { $push: { credentials: toCredentialDocument(credential) }, $inc: { live_credentials: 1 } },
      )
      return result.modifiedCount === 1
    },
    async revokeCredential(merchantId, keyId, now) {
      const result = await collection.updateOne(
        { _id: merchantId, credentials: { $elemMatch: { key_id: keyId, status: 'active' } } },
        {
          $set: { 'credentials.$.status': 'revoked', 'credentials.$.revoked_at': now, 'credentials.$.sealed_secret': null },
          $inc: { live_credentials: -1 },
        },
      )
      return result.modifiedCount === 1
    },
    async revokedSince(since) {
      const found = await collection.find({ 'credentials.revoked_at': { $gte: since } }).toArray()
      return found
        .flatMap(({ credentials }) => credentials)
        .filter(({ revoked_at: revokedAt }) => revokedAt !== null && revokedAt >= since)
        .map((credential) => credential.key_id)
    },
  }
}

function toDocument(merchant: Merchant): MerchantDocument {
  return {
    _id: merchant.merchantId,
    name: merchant.name,
    vpa: merchant.vpa,
    mcc: merchant.mcc,
    created_at: merchant.createdAt,
    live_credentials: merchant.credentials.filter(({ status }) => status === 'active').length,
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
  }
}

function toCredential(document: CredentialDocument): Credential {
  return {
    keyId: document.key_id,
    sealedSecret: document.sealed_secret,
    status: document.status,
    createdAt: document.created_at,
    revokedAt: document.revoked_at,
  }
}
