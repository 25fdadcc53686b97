import { isDatabaseAway } from './database-away.ts'

const SERVER_ERRORS = new Set(['MongoServerError', 'MongoBulkWriteError', 'MongoWriteConcernError'])

/** Codes of answers about one document: bad value, failed to parse, wrong type, failed validation, too large, duplicate key. */
const ABOUT_THE_DOCUMENT = new Set([2, 9, 14, 121, 10334, 11000])

/**
 * True when the database is away or fails for a reason of its own, such as a full disk: the same write may succeed later.
 * False for an answer that is about the document. By name, as in `isDatabaseAway`.
 */
export function isDatabaseFailure(error: unknown): boolean {
  if (isDatabaseAway(error)) return true
  if (!(error instanceof Error) || !SERVER_ERRORS.has(error.name)) return false
  return !('code' in error) || !ABOUT_THE_DOCUMENT.has(Number(error.code))
}
