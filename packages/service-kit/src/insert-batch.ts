import { mongo, type Connection } from 'mongoose'

/**
 * The driver's collection on a service's connection: no hydration, no buffering, and the document's own type.
 * mongoose models declare schema and indexes; hot paths go through here.
 */
export function driverCollection<T extends mongo.Document>(connection: Connection, name: string): mongo.Collection<T> {
  return connection.getClient().db(connection.name).collection<T>(name)
}

const DUPLICATE_KEY = 11000

/** True when a unique index refused a document. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof mongo.MongoServerError && error.code === DUPLICATE_KEY
}

/**
 * Inserts documents in one command, in no order: for each one whether it was inserted (`false`: its key exists already).
 * Rejects as a whole when the database does not answer; then any of them may or may not be stored.
 */
export async function insertBatch<T extends mongo.Document>(
  collection: mongo.Collection<T>,
  documents: readonly mongo.OptionalUnlessRequiredId<T>[],
): Promise<PromiseSettledResult<boolean>[]> {
  const failed = new Map<number, mongo.WriteError>()
  try {
    await collection.insertMany(documents, { ordered: false })
  } catch (error) {
    if (!(error instanceof mongo.MongoBulkWriteError)) throw error
    for (const writeError of [error.writeErrors].flat()) failed.set(writeError.index, writeError)
    // The driver wraps a lost connection in the same class, with no write errors and nothing inserted.
    if (error.insertedCount + failed.size !== documents.length || error.result.getWriteConcernError()) throw causeOf(error)
  }
  return documents.map((_document, index): PromiseSettledResult<boolean> => {
    const error = failed.get(index)
    if (!error) return { status: 'fulfilled', value: true }
    return error.code === DUPLICATE_KEY ? { status: 'fulfilled', value: false } : { status: 'rejected', reason: error }
  })
}

function causeOf(error: mongo.MongoBulkWriteError): Error {
  return error.errorResponse instanceof Error ? error.errorResponse : error
}
