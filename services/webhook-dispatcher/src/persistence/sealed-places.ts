import type { Connection } from 'mongoose'
import { driverCollection, type SealedPlace, type SealedValue } from '@gateway/service-kit'
import { ENDPOINTS, type EndpointDocument } from './endpoint-model.ts'

/** Everything that this service keeps sealed: the merchants' signing secrets, those that a rotation left behind included. */
export function sealedPlaces(connection: Connection): readonly SealedPlace[] {
  const endpoints = driverCollection<EndpointDocument>(connection, ENDPOINTS)

  function valuesOf({ _id, secrets }: EndpointDocument): SealedValue[] {
    return secrets.map(({ sealed }) => ({
      id: _id,
      sealed,
      context: _id,
      async replace(text) {
        // Raised, so that whoever has read the endpoint and saves it over this reads again.
        const change = { $set: { 'secrets.$.sealed': text }, $inc: { version: 1 } }
        return (await endpoints.updateOne({ _id, secrets: { $elemMatch: { sealed } } }, change)).modifiedCount === 1
      },
    }))
  }

  return [
    {
      name: 'webhook secrets',
      async *pages(size) {
        for (let after: string | undefined; ;) {
          const filter = after === undefined ? {} : { _id: { $gt: after } }
          const found = await endpoints.find(filter).sort({ _id: 1 }).limit(size).toArray()
          yield found.flatMap(valuesOf)
          after = found.at(-1)?._id
          if (found.length < size) return
        }
      },
    },
  ]
}
