import type { Connection } from 'mongoose'
import { afterId, driverCollection, pagesById, type SealedPlace, type SealedValue } from '@gateway/service-kit/mongo'
import { secretContext, type Merchant } from '../domain/merchant.ts'
import { signingKeyContext } from '../domain/signing-keys.ts'
import type { StoredKey } from './signing-keys.ts'

/** Everything that this service stores sealed: the secrets of credentials, and the private halves of the signing keys. */
export function sealedPlaces(connection: Connection): readonly SealedPlace[] {
  return [credentialSecrets(connection), signingKeys(connection)]
}

function credentialSecrets(connection: Connection): SealedPlace {
  const merchants = driverCollection<Merchant>(connection, 'merchants')

  function valuesOf({ _id, credentials }: Merchant): SealedValue[] {
    return credentials.flatMap(({ key_id: keyId, sealed_secret: sealed }) => {
      // A revoked credential has no secret.
      if (sealed === null) return []
      const value: SealedValue = {
        id: `${_id} ${keyId}`,
        sealed,
        context: secretContext(keyId),
        async replace(text) {
          const unchanged = { $elemMatch: { key_id: keyId, sealed_secret: sealed } }
          const change = { $set: { 'credentials.$.sealed_secret': text } }
          return (await merchants.updateOne({ _id, credentials: unchanged }, change)).modifiedCount === 1
        },
      }
      return [value]
    })
  }

  return {
    name: 'credentials',
    async *pages(size) {
      for await (const page of pagesById(size, (after) => merchants.find(afterId(after)))) yield page.flatMap(valuesOf)
    },
  }
}

/** At most a few keys: one page. */
function signingKeys(connection: Connection): SealedPlace {
  const keys = driverCollection<StoredKey>(connection, 'signing_keys')
  return {
    name: 'signing keys',
    async *pages() {
      const found = await keys.find({}).toArray()
      yield found.map(({ _id, kid, sealed_private: sealed }) => ({
        id: kid,
        sealed,
        context: signingKeyContext(kid),
        async replace(text) {
          return (await keys.updateOne({ _id, sealed_private: sealed }, { $set: { sealed_private: text } })).modifiedCount === 1
        },
      }))
    },
  }
}
