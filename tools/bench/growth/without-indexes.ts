import { mongo } from 'mongoose'

export interface Collections {
  readonly mongoUrl: string
  /** Database and collection. */
  readonly names: readonly (readonly [database: string, collection: string])[]
  readonly tell: (what: string) => void
}

interface Kept {
  readonly collection: mongo.Collection
  readonly indexes: readonly mongo.IndexDescription[]
}

/**
 * Does what writes a lot into collections without most of their indexes, then builds these as they were: over all documents at
 * once that costs a fraction of following each of them. Partial ones stay: the services look into them all the time, and few
 * documents are in them.
 */
export async function withoutIndexes<T>({ mongoUrl, names, tell }: Collections, work: () => Promise<T>): Promise<T> {
  const client = await new mongo.MongoClient(mongoUrl).connect()
  try {
    const kept: Kept[] = []
    for (const [database, name] of names) kept.push(await takeIndexes(client.db(database).collection(name)))
    const result = await work()
    await Promise.all(
      kept.map(async ({ collection, indexes }) => {
        await collection.createIndexes([...indexes])
        tell(`${collection.collectionName}: ${indexes.length} indexes built`)
      }),
    )
    return result
  } finally {
    await client.close()
  }
}

async function takeIndexes(collection: mongo.Collection): Promise<Kept> {
  const all = await collection.indexes()
  const indexes = all.filter(({ name, partialFilterExpression }) => name !== '_id_' && !partialFilterExpression)
  for (const { name = '' } of indexes) await collection.dropIndex(name)
  return { collection, indexes: indexes.map(({ v: _version, ...index }) => index as mongo.IndexDescription) }
}
