import { mongo, type Connection } from 'mongoose'
import { isDeadlock } from './deadlock.ts'

/**
 * The driver's collection on a service's connection: no hydration, no buffering, and the document's own type. For hot paths;
 * mongoose models declare schema and indexes.
 */
export function driverCollection<T extends mongo.Document>(connection: Connection, name: string): mongo.Collection<T> {
  return connection.getClient().db(connection.name).collection<T>(name)
}

const DUPLICATE_KEY = 11000
const MAX_TRIES = 5

/** True when a unique index refused a document. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof mongo.MongoServerError && error.code === DUPLICATE_KEY
}

/**
 * Inserts documents in one unordered command. Each result says whether its document was inserted; `false` means that its key
 * exists. Rejects as a whole when the database does not answer; each document may or may not be stored then.
 */
export async function insertBatch<T extends mongo.Document>(
  collection: mongo.Collection<T>,
  documents: readonly mongo.OptionalUnlessRequiredId<T>[],
): Promise<PromiseSettledResult<boolean>[]> {
  const inOrder = documents.toSorted(byId)
  const failed = new Map<unknown, mongo.WriteError>()
  let left = inOrder
  for (let tries = 1; left.length > 0; tries++) {
    const errors = await insertOnce(collection, left)
    for (const document of left) failed.delete(document)
    for (const [index, error] of errors) failed.set(left[index], error)
    left = tries < MAX_TRIES ? left.filter((document) => isDeadlock(failed.get(document)?.errmsg)) : []
  }
  return documents.map((document): PromiseSettledResult<boolean> => {
    const error = failed.get(document)
    if (!error) return { status: 'fulfilled', value: true }
    if (error.code === DUPLICATE_KEY) return { status: 'fulfilled', value: false }
    return { status: 'rejected', reason: new mongo.MongoServerError({ code: error.code, message: error.errmsg ?? 'refused' }) }
  })
}

/**
 * For `toSorted`: concurrent commands that write the same documents in the same order cannot wait for each other in a circle.
 */
export function byId(one: { readonly _id?: unknown }, other: { readonly _id?: unknown }): -1 | 1 {
  return String(one._id) < String(other._id) ? -1 : 1
}

/** Runs one command and returns the error of each refused document, by its index. */
async function insertOnce<T extends mongo.Document>(
  collection: mongo.Collection<T>,
  documents: readonly mongo.OptionalUnlessRequiredId<T>[],
): Promise<Map<number, mongo.WriteError>> {
  try {
    await collection.insertMany(documents, { ordered: false })
    return new Map()
  } catch (error) {
    if (!(error instanceof mongo.MongoBulkWriteError)) throw error
    const failed = new Map([error.writeErrors].flat().map((writeError) => [writeError.index, writeError]))
    // The driver uses the same class for a lost connection, with no write errors and nothing inserted.
    if (error.insertedCount + failed.size !== documents.length || error.result.getWriteConcernError()) throw causeOf(error)
    return failed
  }
}

function causeOf(error: mongo.MongoBulkWriteError): Error {
  return error.errorResponse instanceof Error ? error.errorResponse : error
}
