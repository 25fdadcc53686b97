/** Names of the errors that the MongoDB driver and mongoose throw when they cannot reach a server. */
const AWAY =
  /^Mongo(?:ose)?(?:ServerSelection|Network|NetworkTimeout|NotConnected|TopologyClosed|PoolCleared|WaitQueueTimeout|PoolClosed|PoolClearedOnNetwork|OperationTimeout)?Error$/u

/**
 * Returns true when the driver could not reach a database. A server's own answer, such as a duplicate key, is not that.
 * Errors are told apart by name, so that services without a database need not load the driver.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  // The driver wraps a connection lost in the middle of a batch.
  if (error.name === 'MongoBulkWriteError') return 'errorResponse' in error && isDatabaseAway(error.errorResponse)
  if (error.name === 'MongoServerError' || error.name === 'MongooseError') return isShuttingDown(error)
  return AWAY.test(error.name)
}

/** The server is shutting down (PostgreSQL behind FerretDB included), a primary steps down, or mongoose is not connected. */
function isShuttingDown(error: Error): boolean {
  const code = 'code' in error ? error.code : undefined
  return (
    [91, 189, 10107, 11600, 11602, 13435, 13436].includes(Number(code)) ||
    /initial connection is complete|terminating connection|the database system is|connection refused|broken pipe|unexpected EOF|57P0\d/iu.test(
      error.message,
    )
  )
}
