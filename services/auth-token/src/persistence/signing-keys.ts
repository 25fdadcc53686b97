import type { Connection } from 'mongoose'
import { driverCollection, isDuplicateKey } from '@gateway/service-kit/mongo'
import type { KeyAge } from '../domain/signing-keys.ts'

/** An Ed25519 key pair that signs internal tokens. Only its private half is stored, sealed; the public half is computed from it. */
export interface StoredKey extends KeyAge {
  readonly kid: string
  readonly sealed_private: string
}

export type SigningKeys = ReturnType<typeof mongoSigningKeys>

export function mongoSigningKeys(connection: Connection) {
  const keys = driverCollection<StoredKey>(connection, 'signing_keys')
  return {
    all: (): Promise<StoredKey[]> => keys.find({}).toArray(),
    /** Does nothing when another replica has made the key of this number; that one is used. */
    async insert(key: StoredKey): Promise<void> {
      await keys.insertOne(key).catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error
      })
    },
    async remove(numbers: readonly number[]): Promise<void> {
      if (numbers.length > 0) await keys.deleteMany({ _id: { $in: [...numbers] } })
    },
  }
}
