import { mongo } from 'mongoose'

const MAX_TRIES = 5

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
export function isDeadlock(message: string | undefined): boolean {
  return message !== undefined && /deadlock detected/iu.test(message)
}
