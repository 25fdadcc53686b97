import { mongo, type Connection } from 'mongoose'

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

/**
 * Repeats a write that failed with a deadlock, which leaves nothing written. MongoDB has no such error. FerretDB does: its
 * PostgreSQL guards unique indexes with exclusion constraints, and concurrent writes of one key can wait for each other
 * (https://www.postgresql.org/docs/current/explicit-locking.html#LOCKING-DEADLOCKS). Rejects with the last failure.
 */
export async function retryDeadlocks<T>(write: () => Promise<T>): Promise<T> {
  for (let tryNumber = 1; ; tryNumber++) {
    try {
      return await write()
    } catch (error) {
      if (tryNumber >= MAX_TRIES || !(error instanceof mongo.MongoServerError && isDeadlock(error.message))) throw error
    }
  }
}

/** Recognised by the message: the error code differs between versions of FerretDB. */
function isDeadlock(message: string | undefined): boolean {
  return message !== undefined && /deadlock detected/iu.test(message)
}

/** The filter for these documents of a collection that is sharded by slots: by their ids, with every slot named once. */
export function filterByIds(documents: readonly { readonly _id: string; readonly slot: number }[]) {
  return { slot: { $in: [...new Set(documents.map(({ slot }) => slot))] }, _id: { $in: documents.map(({ _id }) => _id) } }
}

/**
 * Resolves to those of the ids that a document of the collection has, by one command at most.
 *
 * @param shardKey filter for the part of the shard key that is known, such as the slots of the ids
 */
export async function storedIds<T extends mongo.Document>(
  collection: mongo.Collection<T>,
  ids: readonly string[],
  shardKey: mongo.Filter<T> = {},
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const these = { ...shardKey, _id: { $in: [...ids] } } as mongo.Filter<T>
  // One more than there can be: otherwise the driver asks for the rest after 101 of them.
  const found = await collection.find(these, { projection: { _id: 1 }, batchSize: ids.length + 1 }).toArray()
  return new Set(found.map(({ _id }) => String(_id)))
}

/**
 * Yields documents in the order of their ids, `size` at a time. No cursor lives long; a document that changes meanwhile is read
 * as it is when its page is fetched.
 *
 * @param find finds the documents with ids after the given one; all of them when it is undefined
 */
export async function* pagesById<T extends { readonly _id: string }>(
  size: number,
  find: (after: string | undefined) => mongo.FindCursor<T>,
): AsyncGenerator<T[]> {
  for (let after: string | undefined; ;) {
    const page = await find(after).sort({ _id: 1 }).limit(size).toArray()
    yield page
    if (page.length < size) return
    after = page.at(-1)?._id
  }
}

/** The filter for `pagesById` when the query has no other. */
export function afterId(after: string | undefined): { _id?: { $gt: string } } {
  return after === undefined ? {} : { _id: { $gt: after } }
}

/**
 * The filter of a partial index that holds only the documents with a field. A query through the index repeats it beside its range:
 * FerretDB does not use the index otherwise (docs/adr/0005). When nothing is left to do, the field is removed; it is never `null`.
 */
export const PRESENT = { $exists: true } as const
