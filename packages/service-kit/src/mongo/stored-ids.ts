import type { mongo } from 'mongoose'

/** Resolves to those of the ids that a document of the collection has, by one command at most. */
export async function storedIds<T extends mongo.Document>(
  collection: mongo.Collection<T>,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const these = { _id: { $in: [...ids] } } as mongo.Filter<T>
  // One more than there can be: otherwise the driver asks for the rest after 101 of them.
  const found = await collection.find(these, { projection: { _id: 1 }, batchSize: ids.length + 1 }).toArray()
  return new Set(found.map(({ _id }) => String(_id)))
}
