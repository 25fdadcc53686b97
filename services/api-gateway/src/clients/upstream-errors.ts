import { AppError, Unavailable } from '@gateway/contracts'

const CLOSED = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])
const TIMED_OUT = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT'])

/** True when the connection was closed before the answer was complete. */
export function isClosedConnection(error: unknown): boolean {
  return CLOSED.has(codeOf(error))
}

/** What the caller learns of a failed call: the upstream was unreachable, too slow, or closed the connection. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (TIMED_OUT.has(codeOf(error))) {
    return new Unavailable('upstream_timeout', 'The service did not answer in time; try again', { cause: error })
  }
  if (isClosedConnection(error)) {
    return new Unavailable('upstream_failed', 'The service closed the connection before its answer was complete; try again', {
      cause: error,
    })
  }
  return new Unavailable('upstream_unavailable', 'The service cannot be reached; try again', { cause: error })
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
