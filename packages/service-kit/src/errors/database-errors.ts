/** Names of the errors that the MongoDB driver and mongoose throw when they cannot reach a server, or no majority confirms a write. */
const AWAY =
  /^Mongo(?:ose)?(?:ServerSelection|Network|NetworkTimeout|NotConnected|TopologyClosed|PoolCleared|WaitQueueTimeout|PoolClosed|PoolClearedOnNetwork|OperationTimeout|WriteConcern)?Error$/u

/** Errors that hold an answer of a server, which may say that the server, or what is behind it, is away. */
const ANSWER = /^Mongo(?:ose|Server|BulkWrite)Error$/u

/**
 * Codes of a server that is shutting down or is not the primary, that cannot reach the others, or whose majority does not answer.
 * Source: https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml
 */
const AWAY_CODES: ReadonlySet<number> = new Set([
  ...[6, 7, 64, 89, 91, 100, 133, 134, 189],
  ...[9001, 10_058, 10_107, 11_600, 11_602, 13_435, 13_436],
])

const DUPLICATE_KEY = 11_000

/** The words of a PostgreSQL behind FerretDB that stops, starts or is gone; mongoose that is not connected yet. */
const AWAY_MESSAGE =
  /initial connection is complete|terminating connection|the database system is|connection (?:refused|reset)|conn closed|failed to connect|server closed the connection|too many clients|broken pipe|unexpected EOF|57P0\d/iu

/**
 * Returns true when the driver could not reach a database, or the database could not reach what it needs. Another answer, such as
 * a duplicate key, is not that. Errors are told apart by name, so that services without a database need not load the driver.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (ANSWER.test(error.name)) return partsOf(error).some(saysAway)
  return AWAY.test(error.name)
}

/** The error, and what the driver wraps in the error of a batch: a lost connection, refused documents, an unconfirmed write. */
function partsOf(error: Error): unknown[] {
  const wrapped = ['errorResponse', 'writeErrors', 'err'].map((name): unknown => Reflect.get(error, name))
  return [error, ...wrapped.flat()]
}

function saysAway(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false
  if (part instanceof Error && AWAY.test(part.name) && !ANSWER.test(part.name)) return true
  const code = 'code' in part ? Number(part.code) : undefined
  // Its message quotes the key, which is a caller's text.
  if (code === DUPLICATE_KEY) return false
  const message = ['message' in part && part.message, 'errmsg' in part && part.errmsg].filter((text) => typeof text === 'string')
  return (code !== undefined && AWAY_CODES.has(code)) || message.some((text) => AWAY_MESSAGE.test(text))
}

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
