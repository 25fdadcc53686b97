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
      if (tryNumber >= MAX_TRIES || !(error instanceof mongo.MongoServerError && isDeadlock(error.message))) throw error
    }
  }
}

/** Told by its words: the code of it is FerretDB's own and differs between its versions. */
export function isDeadlock(message: string | undefined): boolean {
  return message !== undefined && /deadlock detected/iu.test(message)
}
