import { AppError, Unavailable, ValidationFailed, type ErrorCode, type FieldError } from '@gateway/contracts'
import { isDatabaseAway } from '../errors/database-away.ts'

/** `application/problem+json` (RFC 9457) with our stable `code`. */
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: ErrorCode
  readonly errors?: readonly FieldError[]
  readonly retryAfterSeconds?: number
}

/** The only place where an error's code becomes an HTTP status. */
const STATUS: Readonly<Record<ErrorCode, number>> = {
  body_not_utf8: 400,
  malformed_json: 400,
  malformed_request: 400,
  token_missing: 401,
  token_invalid: 401,
  token_expired: 401,
  credentials_invalid: 401,
  signature_invalid: 401,
  unauthorized: 401,
  forbidden: 403,
  scope_missing: 403,
  not_found: 404,
  order_not_found: 404,
  transaction_not_found: 404,
  payment_not_found: 404,
  merchant_not_found: 404,
  credential_not_found: 404,
  delivery_not_found: 404,
  endpoint_not_found: 404,
  attempt_not_found: 404,
  refund_not_found: 404,
  settlement_not_found: 404,
  settlement_file_not_found: 404,
  difference_not_found: 404,
  difference_not_open: 409,
  method_not_allowed: 405,
  request_timeout: 408,
  order_id_conflict: 409,
  order_not_payable: 409,
  refund_id_conflict: 409,
  order_not_refundable: 409,
  refund_exceeds_captured: 409,
  refund_window_closed: 409,
  too_many_refunds: 409,
  refunds_not_supported: 409,
  attempt_not_allowed: 409,
  too_many_credentials: 409,
  credential_protected: 403,
  credential_in_use: 409,
  endpoint_missing: 409,
  endpoint_disabled: 409,
  delivery_not_dead: 409,
  too_many_secrets: 409,
  payment_finished: 409,
  idempotency_conflict: 409,
  body_too_large: 413,
  content_type_unsupported: 415,
  expectation_failed: 417,
  not_a_link: 422,
  validation_failed: 422,
  rate_limited: 429,
  too_many_listeners: 429,
  too_many_reports: 429,
  headers_too_large: 431,
  internal_error: 500,
  upstream_failed: 502,
  audit_not_configured: 503,
  audit_unavailable: 503,
  backlog: 503,
  broker_unavailable: 503,
  contention: 503,
  credentials_busy: 503,
  database_unavailable: 503,
  delivery_busy: 503,
  endpoint_busy: 503,
  gateway_unavailable: 503,
  intent_unavailable: 503,
  keys_unavailable: 503,
  network_busy: 503,
  network_unavailable: 503,
  not_ready: 503,
  order_api_unavailable: 503,
  overloaded: 503,
  payment_status_unavailable: 503,
  publish_overloaded: 503,
  publish_refused: 503,
  publish_returned: 503,
  publish_timeout: 503,
  too_many_pages: 503,
  upstream_unavailable: 503,
  webhooks_unavailable: 503,
  upstream_timeout: 504,
}

/** The status that comes with a code. */
export function statusOf(code: ErrorCode): number {
  return STATUS[code]
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

export function problem(code: ErrorCode, detail: string): Problem {
  const status = statusOf(code)
  return { type: `urn:payment-gateway:problem:${code}`, title: TITLES[status] ?? 'Error', status, detail, code }
}

/** An error of Express: the path cannot be decoded. Its own texts are not shown. */
function isUnreadable(error: unknown): boolean {
  return (
    error instanceof Error && 'status' in error && typeof error.status === 'number' && error.status >= 400 && error.status < 500
  )
}
