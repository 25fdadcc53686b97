/** What a problem means to a merchant, and what to do. */
export interface ProblemMeaning {
  /** The HTTP status that it comes with. */
  readonly status: number
  /** Names in backquotes are shown as code. */
  readonly meaning: string
}

/** Every `code` that a problem of the public API can have. Add a code before a service uses it in an answer to a merchant. */
export const PUBLIC_PROBLEMS = {
  malformed_json: { status: 400, meaning: 'The body is not valid JSON.' },
  malformed_request: { status: 400, meaning: 'The request cannot be read, such as a body that ended too early.' },
  credentials_invalid: { status: 401, meaning: 'The `key_id` or the `key_secret` is wrong, or the credential was revoked.' },
  signature_invalid: { status: 401, meaning: 'The callback of the network has no valid signature.' },
  token_expired: { status: 401, meaning: 'The token has expired: make a new one.' },
  token_invalid: {
    status: 401,
    meaning: 'The gateway did not make this token, or it was changed, or its credential was revoked: make a new one.',
  },
  token_missing: { status: 401, meaning: 'The `authorization` header has no Bearer token.' },
  forbidden: { status: 403, meaning: 'The sender may not make this request.' },
  scope_missing: { status: 403, meaning: 'The credential does not have the scope that the call needs.' },
  credential_not_found: { status: 404, meaning: 'You have no credential with this id.' },
  delivery_not_found: { status: 404, meaning: 'You have no delivery with this id.' },
  endpoint_not_found: { status: 404, meaning: 'No webhook endpoint is registered.' },
  not_found: { status: 404, meaning: 'There is nothing at this address.' },
  order_not_found: { status: 404, meaning: 'You have no order with this id.' },
  payment_not_found: { status: 404, meaning: "The sandbox's network knows no payment of this order yet." },
  refund_not_found: { status: 404, meaning: 'You have no refund with this id.' },
  transaction_not_found: { status: 404, meaning: 'There is no such transaction.' },
  method_not_allowed: { status: 405, meaning: 'The path exists, but not with this method; `Allow` names the right ones.' },
  request_timeout: { status: 408, meaning: 'The request did not arrive completely in time.' },
  credential_in_use: { status: 409, meaning: 'A credential cannot revoke itself: use another one.' },
  delivery_not_dead: { status: 409, meaning: 'Only a delivery that was given up can be sent again this way.' },
  endpoint_disabled: { status: 409, meaning: 'The endpoint is disabled: enable it first.' },
  endpoint_missing: { status: 409, meaning: 'There is no webhook endpoint to send to: register one first.' },
  order_id_conflict: { status: 409, meaning: 'You have an order with this `order_id` and other fields. Nothing was changed.' },
  order_not_payable: { status: 409, meaning: 'The order is finished, has expired or was cancelled.' },
  order_not_refundable: { status: 409, meaning: 'The order was never paid.' },
  payment_finished: { status: 409, meaning: 'Nothing of this payment or refund is pending, so there is nothing to decide.' },
  refund_exceeds_captured: { status: 409, meaning: 'The refunds would be more than was paid; `detail` says what remains.' },
  refund_id_conflict: {
    status: 409,
    meaning: 'The order has a refund with this `refund_id` and other fields. Nothing was changed.',
  },
  refund_window_closed: { status: 409, meaning: 'The payment is too old to be refunded.' },
  refunds_not_supported: { status: 409, meaning: 'The payment network does not refund this payment, or not in part.' },
  too_many_credentials: { status: 409, meaning: 'You have as many credentials as are allowed: revoke one first.' },
  too_many_refunds: { status: 409, meaning: 'The order has as many refunds as are allowed.' },
  too_many_secrets: { status: 409, meaning: 'The signing secret was rotated too often: try again in an hour.' },
  body_too_large: { status: 413, meaning: 'The body is larger than the gateway reads.' },
  content_type_unsupported: { status: 415, meaning: 'The body must be `application/json`, uncompressed, in UTF-8.' },
  expectation_failed: { status: 417, meaning: 'The only `Expect` that is supported is `100-continue`.' },
  validation_failed: { status: 422, meaning: 'A field is missing or not allowed; `errors` names each.' },
  rate_limited: { status: 429, meaning: 'Too many requests: wait as long as `Retry-After` says.' },
  too_many_listeners: { status: 429, meaning: 'Too many sessions of `pgw listen` are open: close one.' },
  headers_too_large: { status: 431, meaning: 'The headers are larger than the gateway reads.' },
  internal_error: { status: 500, meaning: 'An error in the gateway: quote the `request_id` to its operators.' },
  upstream_failed: { status: 502, meaning: 'A service of the gateway failed. The request may have taken effect.' },
  audit_unavailable: { status: 503, meaning: 'The change could not be written to the audit, so nothing was changed: try again.' },
  backlog: { status: 503, meaning: 'Too many orders are waiting to be processed: try again.' },
  broker_unavailable: { status: 503, meaning: 'The message broker cannot be reached: try again.' },
  contention: { status: 503, meaning: 'Too many changes at once: try again.' },
  credentials_busy: { status: 503, meaning: 'Your credentials are being changed at the same time: try again.' },
  database_unavailable: {
    status: 503,
    meaning: 'A database cannot be reached. The request may have taken effect: send the same one again.',
  },
  delivery_busy: { status: 503, meaning: 'The delivery is being changed at the same time: try again.' },
  endpoint_busy: { status: 503, meaning: 'The endpoint is being changed at the same time: try again.' },
  gateway_unavailable: { status: 503, meaning: "The sandbox's network cannot reach the gateway: try again." },
  keys_unavailable: { status: 503, meaning: 'Tokens cannot be verified now: try again.' },
  network_busy: { status: 503, meaning: "The sandbox's network has too much to do: try again." },
  network_unavailable: { status: 503, meaning: 'The payment network cannot be reached: try again.' },
  not_ready: { status: 503, meaning: 'The service is starting: try again.' },
  order_api_unavailable: { status: 503, meaning: 'The order cannot be looked up now: try again.' },
  payment_status_unavailable: { status: 503, meaning: 'The payment cannot be looked up now: try again.' },
  publish_overloaded: { status: 503, meaning: 'The message broker is too slow: try again.' },
  publish_refused: { status: 503, meaning: 'The message broker refused the message: try again.' },
  publish_returned: { status: 503, meaning: 'The message broker has no queue for the message: try again.' },
  publish_timeout: { status: 503, meaning: 'The message broker did not confirm the message in time: try again.' },
  upstream_unavailable: { status: 503, meaning: 'A service of the gateway cannot be reached: try again.' },
  upstream_timeout: {
    status: 504,
    meaning: 'A service of the gateway did not answer in time. The request may have taken effect.',
  },
} as const satisfies Readonly<Record<string, ProblemMeaning>>

export const PUBLIC_PROBLEM_CODES = Object.keys(PUBLIC_PROBLEMS).toSorted() as (keyof typeof PUBLIC_PROBLEMS)[]
