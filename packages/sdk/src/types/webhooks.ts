import type { Open } from './open.ts'
import type { Refund, TransactionStatus } from './orders.ts'

/** Where the gateway sends webhooks. */
export interface Endpoint {
  readonly url: string
  /** The URL gets the webhooks of orders created from this instant on. */
  readonly since: string
  /** Why nothing is sent any more; `null` while the endpoint is in use. */
  readonly disabled: { readonly at: string; readonly reason: Open<'gone' | 'failing'> } | null
}

/** The answer to `endpoint.register`. */
export interface RegisteredEndpoint extends Endpoint {
  /** `whsec_…`, only at the first registration. Keep it. */
  readonly signing_secret?: string
}

/** The answer to `endpoint.rotateSecret`. */
export interface RotatedSecret {
  /** `whsec_…`, in this answer only. Keep it. */
  readonly signing_secret: string
  /** Until then webhooks are signed with the previous secret, too. */
  readonly previous_secret_until: string
}

/** How the endpoint answered a test webhook. */
export interface TestResult {
  /** `null` when the endpoint did not answer; then `error` says why. */
  readonly status_code: number | null
  readonly duration_ms: number
  readonly error: Open<AttemptError> | null
}

/** Why an attempt got no complete answer; docs/webhooks.md says what to do about each. */
export type AttemptError =
  | 'timeout'
  | 'name_not_resolved'
  | 'connection_refused'
  | 'connection_closed'
  | 'connection_failed'
  | 'not_tls'
  | 'tls_version_unsupported'
  | 'tls_failed'
  | 'certificate_expired'
  | 'certificate_not_yet_valid'
  | 'certificate_wrong_name'
  | 'certificate_chain_incomplete'
  | 'certificate_untrusted'
  | 'certificate_invalid'
  | 'response_invalid'
  | 'no_endpoint'
  | 'endpoint_disabled'
  | 'not_signed'
  | 'address_refused'
  | `address_refused: ${AddressKind}`

/** Why an address is not public. */
export type AddressKind =
  | 'loopback'
  | 'unspecified'
  | 'private'
  | 'link_local'
  | 'carrier_grade_nat'
  | 'metadata'
  | 'multicast'
  | 'broadcast'
  | 'reserved'
  | 'embedded_ipv4'
  | 'private_name'
  | 'not_an_address'

/** One webhook and every attempt to deliver it. */
export interface Delivery {
  readonly id: string
  /** What the webhook tells about. */
  readonly channel: Open<'payment' | 'refund'>
  readonly order_id: string
  readonly transaction_id: string
  readonly sequence: number
  readonly status: Open<'delivered' | 'retrying' | 'dead'>
  /** `null`: no endpoint was registered when the order was created. */
  readonly url: string | null
  /** `null` unless `retrying`. While a webhook waits because the server is failing or busy, it can be up to a minute in the past. */
  readonly next_attempt_at: string | null
  readonly attempts: readonly DeliveryAttempt[]
}

export interface DeliveryAttempt {
  readonly at: string
  readonly duration_ms: number
  readonly status_code: number | null
  readonly error: Open<AttemptError> | null
  readonly response_excerpt: string | null
}

/** The URL that a delivery is sent to again: its own, or the one that is registered now. */
export type ResendTarget = 'original' | 'current'

/** What `deliveries.recover` did. */
export interface Recovered {
  /** Dead deliveries that are sent again. */
  readonly count: number
  /** Deliveries without a URL, or whose URL is disabled. */
  readonly skipped: number
}

/** The body of a webhook. All values are texts. */
export interface WebhookPayload {
  /** `transaction.id` of the order. */
  readonly txnid: string
  /** Your `order_id`. */
  readonly merchantTxnId: string
  readonly amount: string
  /** Empty until it is known. */
  readonly rrn: string
  readonly status: TransactionStatus
  /** Once a UPI payer is known. */
  readonly payee?: { readonly name: string; readonly vpa: string }
  readonly metadata: { readonly udf1: string; readonly udf2: string; readonly udf3: string }
  /** The time of the change in IST, `YYYY-MM-DD HH:mm:ss`. */
  readonly datetime: string
}

/** A webhook whose signature was verified. */
export interface WebhookEvent {
  /** `webhook-id`: the same on every attempt. Deduplicate by it. */
  readonly id: string
  /** `webhook-timestamp`: the time of this attempt. */
  readonly at: Date
  /** `webhook-attempt`, from 1. */
  readonly attempt: number
  /** `webhook-sequence`: ignore a lower one than you have seen of this transaction. */
  readonly sequence: number
  /** A test event, which belongs to no order. */
  readonly isTest: boolean
  readonly payload: WebhookPayload
}

/** A webhook of a refund whose signature was verified. */
export interface RefundWebhookEvent {
  /** `webhook-id`: the same on every attempt. Deduplicate by it. */
  readonly id: string
  /** `refund.` and the new status. */
  readonly type: Open<'refund.pending' | 'refund.succeeded' | 'refund.failed' | 'refund.returned'>
  /** The time of the change. */
  readonly timestamp: string
  /** The refund after the change. Ignore a lower `sequence` than you have seen of this refund. */
  readonly data: Refund
}
