/**
 * Every `code` that an error of a service can have. service-kit's `problem.ts` gives each a status, so that a code without one does
 * not compile.
 */
export type ErrorCode =
  | 'attempt_not_allowed'
  | 'attempt_not_found'
  | 'audit_not_configured'
  | 'audit_unavailable'
  | 'backlog'
  | 'body_not_utf8'
  | 'body_too_large'
  | 'broker_unavailable'
  | 'content_type_unsupported'
  | 'contention'
  | 'credential_in_use'
  | 'credential_not_found'
  | 'credential_protected'
  | 'credentials_busy'
  | 'credentials_invalid'
  | 'database_unavailable'
  | 'delivery_busy'
  | 'delivery_not_dead'
  | 'delivery_not_found'
  | 'difference_not_found'
  | 'difference_not_open'
  | 'endpoint_busy'
  | 'endpoint_disabled'
  | 'endpoint_missing'
  | 'endpoint_not_found'
  | 'expectation_failed'
  | 'forbidden'
  | 'gateway_unavailable'
  | 'headers_too_large'
  | 'idempotency_conflict'
  | 'intent_unavailable'
  | 'internal_error'
  | 'keys_unavailable'
  | 'malformed_json'
  | 'malformed_request'
  | 'merchant_not_found'
  | 'method_not_allowed'
  | 'network_busy'
  | 'network_unavailable'
  | 'not_a_link'
  | 'not_found'
  | 'not_ready'
  | 'order_api_unavailable'
  | 'order_id_conflict'
  | 'order_not_found'
  | 'order_not_payable'
  | 'order_not_refundable'
  | 'overloaded'
  | 'payment_finished'
  | 'payment_not_found'
  | 'payment_status_unavailable'
  | 'publish_overloaded'
  | 'publish_refused'
  | 'publish_returned'
  | 'publish_timeout'
  | 'rate_limited'
  | 'refund_exceeds_captured'
  | 'refund_id_conflict'
  | 'refund_not_found'
  | 'refund_window_closed'
  | 'refunds_not_supported'
  | 'request_timeout'
  | 'scope_missing'
  | 'settlement_file_not_found'
  | 'settlement_not_found'
  | 'signature_invalid'
  | 'token_expired'
  | 'token_invalid'
  | 'token_missing'
  | 'too_many_credentials'
  | 'too_many_listeners'
  | 'too_many_pages'
  | 'too_many_refunds'
  | 'too_many_reports'
  | 'too_many_secrets'
  | 'transaction_not_found'
  | 'unauthorized'
  | 'upstream_failed'
  | 'upstream_timeout'
  | 'upstream_unavailable'
  | 'validation_failed'
  | 'webhooks_unavailable'

/** An error with a stable code; only the error middleware maps codes to HTTP statuses. */
export abstract class AppError extends Error {
  abstract readonly code: ErrorCode
}

/** A failure inside a service. It has no code for callers; the log shows its message, which holds no value that a caller sent. */
export class Fault extends Error {}

export interface FieldError {
  /** A JSON pointer (RFC 6901) to the bad field; `/` for the whole body. */
  readonly field: string
  readonly message: string
}

/** Input that does not fit its schema; it lists every bad field. */
export class ValidationFailed extends AppError {
  readonly code = 'validation_failed'
  readonly errors: readonly FieldError[]

  constructor(errors: readonly FieldError[]) {
    super('The request has fields that are not valid')
    this.errors = errors
  }
}

/** A request that is refused for the reason of its code; the detail may be shown to the caller. */
export class Refused<Code extends ErrorCode = ErrorCode> extends AppError {
  readonly code: Code

  constructor(code: Code, detail: string) {
    super(detail)
    this.code = code
  }
}

/** A service or engine that the answer needs is unavailable; the caller may try again. */
export class Unavailable extends AppError {
  readonly code: ErrorCode
  readonly retryAfterSeconds: number

  constructor(code: ErrorCode, detail: string, options: { retryAfterSeconds?: number; cause?: unknown } = {}) {
    super(detail, { cause: options.cause })
    this.code = code
    this.retryAfterSeconds = options.retryAfterSeconds ?? 1
  }
}
