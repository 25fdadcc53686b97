/** What a problem document says with its `code`. */
interface ProblemMeaning {
  /** HTTP status. */
  readonly status: number
  /** For the caller; names in backquotes are shown as code. */
  readonly meaning: string
  /** The same request may succeed later. Whether it is safe to send it again is a property of the operation (`x-repeatable`). */
  readonly repeatable: boolean
}

const refused = (status: number, meaning: string): ProblemMeaning => ({ status, meaning, repeatable: false })
const temporary = (status: number, meaning: string): ProblemMeaning => ({ status, meaning, repeatable: true })

/** Every `code` that an answer of the public API can have. */
export const PUBLIC_PROBLEMS = {
  body_not_utf8: refused(400, 'The body is not UTF-8: send it in UTF-8, with whole characters.'),
  malformed_json: refused(400, 'The body is not valid JSON.'),
  malformed_request: refused(400, 'The request cannot be read, such as a body that ended too early.'),
  credentials_invalid: refused(401, 'The `key_id` or the `key_secret` is wrong, or the credential was revoked.'),
  signature_invalid: refused(401, 'The callback of the network has no valid signature.'),
  token_expired: refused(
    401,
    'The token has expired: make a new one. If it is new, set your clock; `detail` has the difference.',
  ),
  token_invalid: refused(
    401,
    'The gateway did not make this token, or it was changed, its credential was revoked, or it is valid only later because your clock is ahead: make a new one.',
  ),
  token_missing: refused(401, 'The `authorization` header has no Bearer token.'),
  forbidden: refused(403, 'The sender may not make this request.'),
  scope_missing: refused(403, 'The credential does not have the scope that the call needs.'),
  credential_not_found: refused(404, 'You have no credential with this id.'),
  delivery_not_found: refused(404, 'You have no delivery with this id.'),
  endpoint_not_found: refused(404, 'No webhook endpoint is registered.'),
  not_found: refused(404, 'There is nothing at this address.'),
  order_not_found: refused(404, 'You have no order with this id.'),
  payment_not_found: refused(404, "The sandbox's network knows no payment of this order yet."),
  refund_not_found: refused(404, 'You have no refund with this id.'),
  settlement_not_found: refused(404, 'You have no settlement with this id.'),
  transaction_not_found: refused(404, 'There is no such transaction.'),
  method_not_allowed: refused(405, 'The path exists, but not with this method; `Allow` names the right ones.'),
  request_timeout: temporary(408, 'The request did not arrive completely in time.'),
  credential_in_use: refused(409, 'A credential cannot revoke itself or one that it descends from: use another one.'),
  credential_protected: refused(403, 'An operator made this credential: ask the operator of the gateway to revoke it.'),
  delivery_not_dead: refused(409, 'Only a delivery that was given up can be sent again this way.'),
  endpoint_disabled: refused(409, 'The endpoint is disabled: enable it first.'),
  endpoint_missing: refused(409, 'There is no webhook endpoint to send to: register one first.'),
  order_id_conflict: refused(409, 'You have an order with this `order_id` and other fields. Nothing was changed.'),
  order_not_payable: refused(409, 'The order is finished, has expired or was cancelled.'),
  order_not_refundable: refused(409, 'The order was never paid.'),
  payment_finished: refused(409, 'Nothing of this payment or refund is pending, so there is nothing to decide.'),
  refund_exceeds_captured: refused(409, 'The refunds would be more than was paid; `detail` says what remains.'),
  refund_id_conflict: refused(409, 'The order has a refund with this `refund_id` and other fields. Nothing was changed.'),
  refund_window_closed: refused(409, 'The payment is too old to be refunded.'),
  refunds_not_supported: refused(409, 'The payment network does not refund this payment, or not in part.'),
  too_many_credentials: refused(409, 'You have as many credentials as are allowed: revoke one first.'),
  too_many_refunds: refused(409, 'The order has as many refunds as are allowed.'),
  too_many_secrets: refused(409, 'The signing secret was rotated too often: try again in an hour.'),
  body_too_large: refused(413, 'The body is larger than the gateway reads.'),
  content_type_unsupported: refused(415, 'The body must be `application/json`, uncompressed, in UTF-8.'),
  expectation_failed: refused(417, 'The only `Expect` that is supported is `100-continue`.'),
  validation_failed: refused(422, 'A field is missing or not allowed; `errors` names up to 100 of them.'),
  rate_limited: temporary(429, 'Too many requests, in a second or at the same time: wait as long as `Retry-After` says.'),
  too_many_listeners: temporary(429, 'Too many sessions of `pgw listen` are open: close one.'),
  too_many_reports: temporary(429, 'Too many reports are being downloaded at the same time: wait as long as `Retry-After` says.'),
  headers_too_large: refused(431, 'The headers are larger than the gateway reads.'),
  internal_error: refused(500, 'An error in the gateway: quote the `request_id` to its operators.'),
  upstream_failed: temporary(502, 'A service of the gateway failed. The request may have taken effect.'),
  audit_unavailable: temporary(503, 'The change could not be written to the audit, so nothing was changed.'),
  backlog: temporary(503, 'Earlier orders are waiting to be processed.'),
  broker_unavailable: temporary(503, 'The message broker cannot be reached.'),
  contention: temporary(503, 'Too many changes at once.'),
  credentials_busy: temporary(503, 'Your credentials are being changed at the same time.'),
  database_unavailable: temporary(503, 'A database cannot be reached. The request may have taken effect.'),
  delivery_busy: temporary(503, 'The delivery is being changed at the same time.'),
  endpoint_busy: temporary(503, 'The endpoint is being changed at the same time.'),
  gateway_unavailable: temporary(503, "The sandbox's network cannot reach the gateway."),
  intent_unavailable: temporary(503, 'The UPI link cannot be made now, and nothing was created.'),
  keys_unavailable: temporary(503, 'Tokens cannot be verified now.'),
  network_busy: temporary(503, "The sandbox's network has too much to do."),
  network_unavailable: temporary(503, 'The payment network cannot be reached.'),
  not_ready: temporary(503, 'The service is starting.'),
  order_api_unavailable: temporary(503, 'The order cannot be looked up now.'),
  overloaded: temporary(503, 'The service has too much to do.'),
  payment_status_unavailable: temporary(503, 'The payment cannot be looked up now.'),
  publish_overloaded: temporary(503, 'The message broker is too slow.'),
  publish_refused: temporary(503, 'The message broker refused the message.'),
  publish_returned: temporary(503, 'The message broker has no queue for the message.'),
  publish_timeout: temporary(503, 'The message broker did not confirm the message in time.'),
  upstream_unavailable: temporary(503, 'A service of the gateway cannot be reached.'),
  upstream_timeout: temporary(504, 'A service of the gateway did not answer in time. The request may have taken effect.'),
} satisfies Readonly<Record<string, ProblemMeaning>>

/** Codes of operators' APIs, of calls between services, and of pages: no answer to a merchant has them. */
const OTHER_PROBLEMS = {
  attempt_not_allowed: refused(409, 'The payment does not accept another attempt.'),
  attempt_not_found: refused(404, 'The payment has no attempt with this id.'),
  audit_not_configured: refused(503, 'The service has no audit to write to.'),
  difference_not_found: refused(404, 'There is no difference with this id.'),
  difference_not_open: refused(409, 'The difference was settled already.'),
  idempotency_conflict: refused(409, 'The idempotency key was used with another body.'),
  merchant_not_found: refused(404, 'There is no merchant with this id.'),
  not_a_link: refused(422, 'The path is not a payment link.'),
  settlement_file_not_found: refused(404, 'There is no settlement file with this id.'),
  too_many_pages: temporary(503, 'Too many pages of lists are being read.'),
  unauthorized: refused(401, 'The caller has no valid token of a service or an operator.'),
  webhooks_unavailable: temporary(503, 'The webhook dispatcher cannot be reached.'),
} satisfies Readonly<Record<string, ProblemMeaning>>

/** Every code of every service: an error whose code is not here does not compile. */
export type ProblemCode = keyof typeof PUBLIC_PROBLEMS | keyof typeof OTHER_PROBLEMS
export const PROBLEMS: Readonly<Record<ProblemCode, ProblemMeaning>> = { ...PUBLIC_PROBLEMS, ...OTHER_PROBLEMS }

/** The codes of the public API in alphabetical order. */
export const PUBLIC_PROBLEM_CODES = Object.keys(PUBLIC_PROBLEMS).toSorted() as (keyof typeof PUBLIC_PROBLEMS)[]
