import mongoose, { type Connection, type InferRawDocTypeFromSchema } from 'mongoose'
import { isDuplicateKey } from '@gateway/service-kit/mongo'
import type { KeyAge } from '../domain/signing-keys.ts'

/** An Ed25519 key pair that signs internal tokens. Only its private half is stored, sealed; the public half is computed from it. */
export interface StoredKey extends KeyAge {
  readonly kid: string
  readonly sealedPrivate: string
}

const text = { type: String, required: true } as const

const signingKeySchema = mongoose.Schema.create(
  {
    /** The key's number. */
    _id: { type: Number, required: true },
    kid: text,
    sealed_private: text,
    created_at: { type: Date, required: true },
  },
  { collection: 'signing_keys', strict: 'throw', strictQuery: 'throw', versionKey: false },
)

type SigningKeyDocument = InferRawDocTypeFromSchema<typeof signingKeySchema>

export function signingKeyModel(connection: Connection) {
  return connection.model('SigningKey', signingKeySchema)
}

export interface SigningKeys {
  all(): Promise<StoredKey[]>
  /** False when another replica has made the key of this number; that one is used. */
  insert(key: StoredKey): Promise<boolean>
  remove(numbers: readonly number[]): Promise<void>
}

export function mongoSigningKeys(connection: Connection): SigningKeys {
  const model = signingKeyModel(connection)
  return {
    all: async () => (await model.find({}).lean()).map(toStoredKey),
    async insert(key) {
      try {
        await model.create(toDocument(key))
        return true
      } catch (error) {
        if (isDuplicateKey(error)) return false
        throw error
      }
    },
    async remove(numbers) {
      if (numbers.length > 0) await model.deleteMany({ _id: { $in: [...numbers] } })
    },
  }
}

function toDocument({ number, kid, sealedPrivate, createdAt }: StoredKey): SigningKeyDocument {
  return { _id: number, kid, sealed_private: sealedPrivate, created_at: createdAt }
}

function toStoredKey(document: SigningKeyDocument): StoredKey {
  return {
    number: document._id,
    kid: document.kid,
    sealedPrivate: document.sealed_private,
    createdAt: document.created_at,
  }
}
