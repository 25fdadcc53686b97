import type { JsonSchema } from '@gateway/contracts'

/** What an operation's schemas do not say. */
export interface OperationNotes {
  readonly description: string
  /** A request body that the operation accepts. */
  readonly example?: JsonSchema
}

/** By operation id. */
export const OPERATION_NOTES = {
  createToken: {
    description:
      'Exchanges a credential for a token that lives ten minutes at most. Merchants with a JOSE library make the token themselves and never send the secret.',
    example: { key_id: 'key_sandbox_1a2b3c4d', key_secret: 'the 32 random bytes of the credential, in base64url' },
  },
  createOrder: {
    description:
      'Creates an order and its transaction in status Initiate. The same fields again give 200 with the original answer; other fields with the same order_id give 409. Send the shopper to checkout.url, or open checkout.intent in a UPI app. customer needs email or phone; the same phone in another spelling is the same field.',
    example: {
      order_id: 'ORD-1001',
      amount: '499.00',
      customer: { name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' },
      methods: ['upi', 'card'],
      return_url: 'https://merchant.example/back',
    },
  },
  searchOrder: {
    description:
      'Returns the current state of one order. The answer is never older than a webhook that was already sent, so a merchant confirms each webhook with a search.',
    example: { order_id: 'ORD-1001' },
  },
  createRefund: {
    description:
      'Gives money of a paid order back to the instrument that paid. 201 means accepted: the refund is pending until the network answers, and a webhook reports each status. Until a refund has clearly failed, its amount cannot be refunded again. The audit has each refund: while it cannot be written, the answer is 503 audit_unavailable and nothing is refunded. reason is other when it is left out. The scope refunds is needed. 409 is refund_id_conflict, order_not_refundable, refund_exceeds_captured, refund_window_closed, too_many_refunds or refunds_not_supported.',
    example: { order_id: 'ORD-1001', refund_id: 'RF-1', amount: '200.00', reason: 'returned' },
  },
  findRefund: {
    description:
      'By the id that createRefund returned, or by your own refund_id with the order_id in the query. The scope read or refunds is needed. Search lists all refunds of an order.',
  },
  reportRefund: {
    description: 'The network calls this operation until it answers 200. The signature covers the exact bytes of the body.',
    example: { refund_id: '01KAE8T0000000000000000000R01', status: 'succeeded', amount: '200.00', rrn: '123456789012' },
  },
  listOrders: {
    description:
      'Newest first. A page may be short, even empty, while next_cursor is not null: send it as cursor, with the same filters, until it is null. Status changes that were published by as_of are in the answer; searchOrder has the state of one order now.',
  },
  listDowntimes: {
    description:
      'Lists what the payment network reports as down or slow, and what it announces. The scope read is needed. instrument is null when the whole method is meant. The payment page hides what is high and warns of what is medium. The list is at most 15 seconds old; while the network cannot be asked the answer is 503 network_unavailable.',
  },
  listRefunds: {
    description:
      'Newest first, by the time of their creation. The scope read is needed. A page may be short, even empty, while next_cursor is not null: send it as cursor, with the same filters, until it is null. Status changes that were published by as_of are in the answer; findRefund has the state of one refund now. A pending_reason that changed without its status is only there.',
  },
  readDailyReport: {
    description:
      'Every movement of money on one day in IST, from midnight to midnight, the oldest first: captures, refunds, reversals and refunds that came back. The scope read is needed. The last line of the CSV is #end,rows,credit,debit,sha256,as_of,complete; the hash covers every byte before it. A report without this line, or JSON without end, was cut off: read it again. While complete is false, the day has not ended or movements are still on their way to the report: read it again later. The headers x-report-as-of and x-report-complete say the same before the body. A merchant can read two reports at the same time; a reader that takes nothing for two seconds may be cut off in favour of another.',
  },
  listSettlements: {
    description:
      'Lists settlements, newest first: what the bank paid in one transfer, as its settlement files say. The sums include every line that did not fail. The scope read is needed.',
  },
  listSettlementLines: {
    description:
      'Lists the payments, refunds and reversals of a settlement. Amounts and status are those that the bank reports; the gateway adds the order that the reference belongs to. The scope read is needed.',
  },
  readTimeline: {
    description:
      'Returns what happened to the payment of one order and to its webhooks, the oldest event first. incomplete names the sources that cannot be read now; without them the answer is still correct, but not complete.',
  },
  registerEndpoint: {
    description:
      'The URL must be HTTPS, with a public address and port 443, unless this gateway allows more ports. After 20 refused URLs, or 20 changes of the URL, the answer is 429 until Retry-After has passed. Webhooks of older orders still go to the URL that was registered when the order was created. Only the first registration returns signing_secret.',
    example: { url: 'https://merchant.example/webhooks' },
  },
  registerRefundEndpoint: {
    description:
      'Webhooks of refunds are sent only to merchants that register this URL. It has its own signing secret and its own health state. Only the first registration returns signing_secret.',
    example: { url: 'https://merchant.example/refund-webhooks' },
  },
  readRefundEndpoint: {
    description:
      'Returns the URL for refunds, since when it is in force, and whether it is disabled, without the signing secret.',
  },
  enableRefundEndpoint: {
    description: 'Like enableEndpoint, for the endpoint of refunds.',
  },
  rotateRefundSecret: {
    description: 'Like rotateSecret, for the endpoint of refunds. The secret for payments stays.',
  },
  listCredentials: {
    description:
      'Includes credentials that were revoked or expired in the last 30 days: the latest 50, and all of the last day. made_by is the id of the credential that made it, or operator. last_used_at is exact to a minute.',
  },
  createCredential: {
    description:
      'Give each program its own credential, with only the scopes it needs. A credential grants no scope that it lacks, and none that it makes lives longer than itself: without expires_at, the new one ends when its maker ends. At most ten are live at a time, and 50 are made in a day. A credential that another one made may have five live and make 25 in a day.',
    example: { scopes: ['read'], label: 'reports' },
  },
  revokeCredential: {
    description:
      'Also revokes all credentials that it made, directly or through others. A credential cannot revoke itself or one that it descends from (409 credential_in_use), one that an operator made (403 credential_protected), or one with a scope that it lacks (403 scope_missing).',
  },
  listAudit: {
    description:
      'Lists changes of credentials, endpoint and secrets, resends, refunds, and failed authentications. asked is written before an action, done or refused after it; an action that is refused before any effect has refused only. The target of refund.create is refund_id=… amount=…. When a refusal repeats within a minute, a second entry counts the repetitions.',
  },
  readEndpoint: {
    description: 'Returns the URL, since when it is in force, and whether it is disabled, without the signing secret.',
  },
  enableEndpoint: {
    description:
      'An endpoint is disabled when it answers 410 or acknowledges no webhook for days. Dead deliveries are not sent again: see recoverDeliveries.',
  },
  rotateSecret: {
    description:
      'Each call makes another secret. For 24 hours every webhook carries a signature of both secrets, so that no webhook is refused during the change.',
  },
  sendTestEvent: {
    description:
      'Sends one webhook with the usual fields and a valid signature, and returns how the endpoint answered. It is not retried.',
  },
  listDeliveries: {
    description:
      'Pages of at most 100 deliveries and 256 KiB, so a page may be shorter than its limit. Send next_cursor as cursor to get the next page; null is the last one.',
  },
  recoverDeliveries: {
    description:
      'Each call sends one part of the dead deliveries again. Repeat the call with next_cursor until next_cursor is null. Call it again only after its answer: a second call at the same time is 429.',
    example: { since: '2026-11-21T00:00:00Z', to: 'current' },
  },
  resendDelivery: {
    description:
      'Sends the same bytes with the same webhook-id, in any status of the delivery: to its original URL or to the URL that is registered now.',
    example: { to: 'current' },
  },
  listenToWebhooks: {
    description:
      'Sandbox only: copies of the webhooks as server-sent events, for a server on your own machine. The first event is ready, with the secret that signs the copies; each webhook event has the headers and the body to forward; end says why the session ends. A copy is no delivery: it is neither acknowledged nor retried. Connect again with Last-Event-ID to get every copy of the last hour once.',
  },
  reportPayment: {
    description:
      'The network calls this operation until it answers 200. Reports are deduplicated, and the signature covers the exact bytes of the body.',
    example: {
      reference: 'NPCI-123456',
      tr: '01KAE8T0000000000000000000',
      outcome: 'success',
      amount: '499.00',
      method: 'upi',
      rrn: '123456789012',
    },
  },
  simulate: {
    description: 'Sandbox only. The outcome reaches the merchant like that of a real payment: as a status change and a webhook.',
    example: { order_id: 'ORD-1001', outcome: 'success' },
  },
} as const satisfies Readonly<Record<string, OperationNotes>>

export type OperationId = keyof typeof OPERATION_NOTES
