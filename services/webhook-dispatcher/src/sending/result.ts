import type { AttemptError } from '@gateway/contracts'

/** The result of one POST. */
export interface AttemptResult {
  readonly at: Date
  readonly duration_ms: number
  /** `null` when no status line arrived. */
  readonly status_code: number | null
  /** Why the exchange was not complete; `null` when it was. `address_refused` without a kind: the URL itself is refused. */
  readonly error: AttemptError | null
  /**
   * The remote address, such as `203.0.113.7:443`: connected to, failed to connect to, or refused. `null` when no address was
   * known yet, or when the URL itself was refused.
   */
  readonly address: string | null
  /** The beginning of the response body, printable; `null` without a body. */
  readonly response_excerpt: string | null
  /** The answer's `Retry-After`. Not stored: the time of the next attempt follows from it. */
  readonly retry_after_ms?: number | undefined
}

/** Only a complete answer with HTTP 200 acknowledges (specification, section 6.1). */
export function isAcknowledged({ status_code, error }: Pick<AttemptResult, 'status_code' | 'error'>): boolean {
  return status_code === 200 && error === null
}

/** The endpoint is gone for good (RFC 9110, section 15.5.11): a retry is of no use. */
export function isGone({ status_code }: Pick<AttemptResult, 'status_code'>): boolean {
  return status_code === 410
}

/** The result of an attempt that could not be signed. It follows the retry schedule, and says nothing about the endpoint. */
export function notSigned(at: Date): AttemptResult {
  return { at, duration_ms: 0, status_code: null, error: 'not_signed', address: null, response_excerpt: null }
}

/** False when nothing was sent, so that the result says nothing about the endpoint. */
export function wasSent({ error }: Pick<AttemptResult, 'error'>): boolean {
  return error !== 'not_signed'
}
