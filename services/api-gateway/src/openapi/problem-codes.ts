import type { ErrorCode } from '@gateway/contracts'

/** Codes of operators' APIs, of calls between services, and of pages: no answer to a merchant has them. */
type OtherCode =
  | 'attempt_not_allowed'
  | 'attempt_not_found'
  | 'audit_not_configured'
  | 'difference_not_found'
  | 'difference_not_open'
  | 'idempotency_conflict'
  | 'merchant_not_found'
  | 'not_a_link'
  | 'settlement_file_not_found'
  | 'too_many_pages'
  | 'unauthorized'
  | 'webhooks_unavailable'

/** Every `code` that a problem of the public API can have, and what it means to a merchant; names in backquotes are shown as code. */
export const PUBLIC_PROBLEMS = {
  body_not_utf8: 'The body is not UTF-8: send it in UTF-8, with whole characters.',
  malformed_json: 'The body is not valid JSON.',
  malformed_request: 'The request cannot be read, such as a body that ended too early.',
  credentials_invalid: 'The `key_id` or the `key_secret` is wrong, or the credential was revoked.',
  signature_invalid: 'The callback of the network has no valid signature.',
  token_expired: 'The token has expired: make a new one. If it is new, set your clock; `detail` has the difference.',
  token_invalid:
    'The gateway did not make this token, or it was changed, its credential was revoked, or it is valid only later because your clock is ahead: make a new one.',
  token_missing: 'The `authorization` header has no Bearer token.',
  forbidden: 'The sender may not make this request.',
  scope_missing: 'The credential does not have the scope that the call needs.',
  credential_not_found: 'You have no credential with this id.',
  delivery_not_found: 'You have no delivery with this id.',
  endpoint_not_found: 'No webhook endpoint is registered.',
  not_found: 'There is nothing at this address.',
  order_not_found: 'You have no order with this id.',
  payment_not_found: "The sandbox's network knows no payment of this order yet.",
  refund_not_found: 'You have no refund with this id.',
  settlement_not_found: 'You have no settlement with this id.',
  transaction_not_found: 'There is no such transaction.',
  method_not_allowed: 'The path exists, but not with this method; `Allow` names the right ones.',
  request_timeout: 'The request did not arrive completely in time.',
  credential_in_use: 'A credential cannot revoke itself or one that it descends from: use another one.',
  credential_protected: 'An operator made this credential: ask the operator of the gateway to revoke it.',
  delivery_not_dead: 'Only a delivery that was given up can be sent again this way.',
  endpoint_disabled: 'The endpoint is disabled: enable it first.',
  endpoint_missing: 'There is no webhook endpoint to send to: register one first.',
  order_id_conflict: 'You have an order with this `order_id` and other fields. Nothing was changed.',
  order_not_payable: 'The order is finished, has expired or was cancelled.',
  order_not_refundable: 'The order was never paid.',
  payment_finished: 'Nothing of this payment or refund is pending, so there is nothing to decide.',
  refund_exceeds_captured: 'The refunds would be more than was paid; `detail` says what remains.',
  refund_id_conflict: 'The order has a refund with this `refund_id` and other fields. Nothing was changed.',
  refund_window_closed: 'The payment is too old to be refunded.',
  refunds_not_supported: 'The payment network does not refund this payment, or not in part.',
  too_many_credentials: 'You have as many credentials as are allowed: revoke one first.',
  too_many_refunds: 'The order has as many refunds as are allowed.',
  too_many_secrets: 'The signing secret was rotated too often: try again in an hour.',
  body_too_large: 'The body is larger than the gateway reads.',
  content_type_unsupported: 'The body must be `application/json`, uncompressed, in UTF-8.',
  expectation_failed: 'The only `Expect` that is supported is `100-continue`.',
  validation_failed: 'A field is missing or not allowed; `errors` names up to 100 of them.',
  rate_limited: 'Too many requests, in a second or at the same time: wait as long as `Retry-After` says.',
  too_many_listeners: 'Too many sessions of `pgw listen` are open: close one.',
  too_many_reports: 'Too many reports are being downloaded at the same time: wait as long as `Retry-After` says, then try again.',
  headers_too_large: 'The headers are larger than the gateway reads.',
  internal_error: 'An error in the gateway: quote the `request_id` to its operators.',
  upstream_failed: 'A service of the gateway failed. The request may have taken effect.',
  audit_unavailable: 'The change could not be written to the audit, so nothing was changed: try again.',
  backlog: 'Earlier orders are waiting to be processed: try again.',
  broker_unavailable: 'The message broker cannot be reached: try again.',
  contention: 'Too many changes at once: try again.',
  credentials_busy: 'Your credentials are being changed at the same time: try again.',
  database_unavailable: 'A database cannot be reached. The request may have taken effect: send the same one again.',
  delivery_busy: 'The delivery is being changed at the same time: try again.',
  endpoint_busy: 'The endpoint is being changed at the same time: try again.',
  gateway_unavailable: "The sandbox's network cannot reach the gateway: try again.",
  intent_unavailable: 'The UPI link cannot be made now, and nothing was created: try again.',
  keys_unavailable: 'Tokens cannot be verified now: try again.',
  network_busy: "The sandbox's network has too much to do: try again.",
  network_unavailable: 'The payment network cannot be reached: try again.',
  not_ready: 'The service is starting: try again.',
  order_api_unavailable: 'The order cannot be looked up now: try again.',
  overloaded: 'The service has too much to do: try again.',
  payment_status_unavailable: 'The payment cannot be looked up now: try again.',
  publish_overloaded: 'The message broker is too slow: try again.',
  publish_refused: 'The message broker refused the message: try again.',
  publish_returned: 'The message broker has no queue for the message: try again.',
  publish_timeout: 'The message broker did not confirm the message in time: try again.',
  upstream_unavailable: 'A service of the gateway cannot be reached: try again.',
  upstream_timeout: 'A service of the gateway did not answer in time. The request may have taken effect.',
} as const satisfies Readonly<Record<Exclude<ErrorCode, OtherCode>, string>>

/** The codes in alphabetical order. */
export const PUBLIC_PROBLEM_CODES = Object.keys(PUBLIC_PROBLEMS).toSorted() as (keyof typeof PUBLIC_PROBLEMS)[]
