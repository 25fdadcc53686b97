import mongoose, { type Connection } from 'mongoose'
import { driverCollection, isDuplicateKey } from '@gateway/service-kit/mongo'
import type { KeyAge } from '../domain/signing-keys.ts'

/** An internal Ed25519 key pair as it is stored: the public half as a JWK, the private half sealed. */
export interface StoredKey extends KeyAge {
  readonly kid: string
  readonly publicX: string
  readonly sealedPrivate: string
}

export const SIGNING_KEYS = 'signing_keys'

export interface SigningKeyDocument {
  _id: number
  kid: string
  public_x: string
  sealed_private: string
  created_at: Date
}

const signingKeySchema = new mongoose.Schema<SigningKeyDocument>(
  { _id: Number, kid: String, public_x: String, sealed_private: String, created_at: Date },
  { collection: SIGNING_KEYS, strictQuery: 'throw', versionKey: false },
)

export function signingKeyModel(connection: Connection) {
  return connection.model('SigningKey', signingKeySchema)
}

export interface SigningKeys {
  all(): Promise<StoredKey[]>
  /** False when another replica has made the key of this number: theirs counts. */
  insert(key: StoredKey): Promise<boolean>
  remove(numbers: readonly number[]): Promise<void>
}

export function mongoSigningKeys(connection: Connection): SigningKeys {
  const collection = driverCollection<SigningKeyDocument>(connection, SIGNING_KEYS)
  return {
    async all() {
      const found = await collection.find({}).toArray()
      return found.map((document) => ({
        number: document._id,
        kid: document.kid,
        publicX: document.public_x,
        sealedPrivate: document.sealed_private,
        createdAt: document.created_at,
      }))
    },
    async insert({ number, kid, publicX, sealedPrivate, createdAt }) {
      try {
        await collection.insertOne({
          _id: number,
          kid,
          public_x: publicX,
          sealed_private: sealedPrivate,
          created_at: createdAt,
        })
        return true
      } catch (error) {
        if (isDuplicateKey(error)) return false
        throw error
      }
    },
    async remove(numbers) {
      if (numbers.length > 0) await collection.deleteMany({ _id: { $in: [...numbers] } })
    },
  }
}
