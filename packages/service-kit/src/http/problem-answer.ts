import type { Log } from '../logging/logger.ts'
import { toProblem } from './problem.ts'

/** An error as it is sent: status, headers and the text of the problem. */
export interface ProblemAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** What a caller is told of an error, with the request id; the caller's 500s are logged with their cause. */
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
