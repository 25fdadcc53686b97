import type { Connection } from 'mongoose'
import { afterId, driverCollection, pagesById, type SealedPlace, type SealedValue } from '@gateway/service-kit/mongo'
import { secretContext } from '../domain/merchant.ts'
import { signingKeyContext } from '../domain/signing-keys.ts'
import { MERCHANTS, type MerchantDocument } from './merchants.ts'
import { SIGNING_KEYS, type SigningKeyDocument } from './signing-keys.ts'

/** Everything that this service keeps sealed: the merchants' credentials, and the private halves of its signing keys. */
export function sealedPlaces(connection: Connection): readonly SealedPlace[] {
  return [credentialSecrets(connection), signingKeys(connection)]
}

function credentialSecrets(connection: Connection): SealedPlace {
  const merchants = driverCollection<MerchantDocument>(connection, MERCHANTS)

  function valuesOf({ _id, credentials }: MerchantDocument): SealedValue[] {
    return credentials.flatMap(({ key_id: keyId, sealed_secret: sealed }) => {
      // Of a revoked one nothing is kept.
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

/** There are a few at most: one page. */
function signingKeys(connection: Connection): SealedPlace {
  const keys = driverCollection<SigningKeyDocument>(connection, SIGNING_KEYS)
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
