import type { Connection } from 'mongoose'
import { afterId, pagesById, type SealedPlace, type SealedValue } from '@gateway/service-kit/mongo'
import { endpointCollection, type EndpointDocument } from './endpoints.ts'

/** Everything that this service stores sealed: the merchants' signing secrets, including those kept after a rotation or for copies. */
export function sealedSecrets(connection: Connection): readonly SealedPlace[] {
  const endpoints = endpointCollection(connection)

  function valuesOf({ _id, secrets }: EndpointDocument): SealedValue[] {
    return secrets.map(({ sealed }) => ({
      id: _id,
      sealed,
      context: _id,
      async replace(text) {
        // The raised version makes a concurrent writer, who read the old secret, read again.
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
