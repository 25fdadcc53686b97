import { AppError, PROBLEMS, Unavailable, ValidationFailed, type FieldError, type ProblemCode } from '@gateway/contracts'
import { isDatabaseAway } from '../errors/database-errors.ts'
import type { Log } from '../logging/logger.ts'

/** `application/problem+json` (RFC 9457) with our stable `code`. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: ProblemCode
  readonly errors?: readonly FieldError[]
  readonly retryAfterSeconds?: number
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  408: 'Request timeout',
  409: 'Conflict',
  413: 'Body too large',
  415: 'Unsupported media type',
  417: 'Expectation failed',
  422: 'Unprocessable content',
  429: 'Too many requests',
  431: 'Headers too large',
  500: 'Internal error',
  502: 'Bad gateway',
  503: 'Service unavailable',
  504: 'Gateway timeout',
}

/** The part of an error that a caller may see. An unknown error becomes a generic 500, or 503 when the database is away. */
export function toProblem(error: unknown): Problem {
  if (error instanceof ValidationFailed) return { ...problem(error.code, error.message), errors: error.errors }
  if (error instanceof Unavailable) {
    return { ...problem(error.code, error.message), retryAfterSeconds: error.retryAfterSeconds }
  }
  if (error instanceof AppError) return problem(error.code, error.message)
  if (isUnreadable(error)) return problem('malformed_request', 'The request cannot be read')
  if (isDatabaseAway(error)) {
    return { ...problem('database_unavailable', 'The service cannot reach its database; try again'), retryAfterSeconds: 1 }
  }
  return problem('internal_error', 'An unexpected error happened; quote the request id')
}

/** The problem of a code: its status, and this detail for the caller. */
export function problem(code: ProblemCode, detail: string): Problem {
  const { status } = PROBLEMS[code]
  return { type: `urn:payment-gateway:problem:${code}`, title: TITLES[status] ?? 'Error', status, detail, code }
}

/** An error of Express: the path cannot be decoded. Its own texts are not shown. */
function isUnreadable(error: unknown): boolean {
  return (
    error instanceof Error && 'status' in error && typeof error.status === 'number' && error.status >= 400 && error.status < 500
  )
}

/** An error as HTTP: status, headers and the problem's text. */
export interface ProblemAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Turns an error into the answer for the caller, with the request id. Statuses from 500 are logged with their cause. */
export function problemAnswer(error: unknown, requestId: unknown, log: Log): ProblemAnswer {
  const { retryAfterSeconds, ...problem } = toProblem(error)
  if (problem.status >= 500) log[problem.status === 500 ? 'error' : 'warn']('request failed', { code: problem.code, error })
  return {
    status: problem.status,
    headers: {
      'content-type': 'application/problem+json; charset=utf-8',
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
      ...(problem.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    },
    text: JSON.stringify({ ...problem, request_id: requestId }),
  }
}
