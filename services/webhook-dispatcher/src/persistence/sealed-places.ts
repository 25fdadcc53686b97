import type { Connection } from 'mongoose'
import { afterId, driverCollection, pagesById, type SealedPlace, type SealedValue } from '@gateway/service-kit/mongo'
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
        for await (const page of pagesById(size, (after) => endpoints.find(afterId(after)))) yield page.flatMap(valuesOf)
      },
    },
  ]
}
