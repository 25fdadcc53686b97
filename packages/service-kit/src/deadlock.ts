import { mongo } from 'mongoose'

const MAX_TRIES = 5

/**
 * Tries a write again that the database gave up for a deadlock, which leaves nothing written. MongoDB itself has none; behind
 * FerretDB, PostgreSQL guards unique indexes by exclusion constraints, and writes of one key at once can wait for each other
 * (https://www.postgresql.org/docs/current/explicit-locking.html#LOCKING-DEADLOCKS). Rejects with the last failure.
 */
export async function retryDeadlocks<T>(write: () => Promise<T>): Promise<T> {
  for (let tryNumber = 1; ; tryNumber++) {
    try {
      return await write()
    } catch (error) {
      if (tryNumber >= MAX_TRIES || !isDeadlock(error)) throw error
    }
  }
}

/** Told by its words: the code of it is the gateway's own and differs between its versions. */
function isDeadlock(error: unknown): boolean {
  return error instanceof mongo.MongoServerError && /deadlock detected/iu.test(error.message)
}
