import { formatIst, formatPaise, type TransactionStatusChanged } from '@gateway/contracts'

/** The body of a webhook: exactly the fields of the specification, section 6.2, all of them strings. */
export interface WebhookPayload {
  readonly txnid: string
  readonly merchantTxnId: string
  readonly amount: string
  /** Empty until the bank or the UPI network has issued it. */
  readonly rrn: string
  readonly status: string
  /** Only once a UPI payer is known. */
  readonly payee?: { readonly name: string; readonly vpa: string }
  readonly metadata: { readonly udf1: string; readonly udf2: string; readonly udf3: string }
  /** The time of the change, in IST. */
  readonly datetime: string
}

/** The payload of one status change. */
export function payloadOf({ data, occurred_at }: TransactionStatusChanged): WebhookPayload {
  return {
    txnid: data.transaction_id,
    merchantTxnId: data.order_id,
    amount: formatPaise(data.amount_paise),
    rrn: data.rrn ?? '',
    status: data.status,
    ...(data.payer !== null && data.method === 'upi' ? { payee: { name: data.payer.name, vpa: data.payer.vpa } } : {}),
    metadata: { udf1: data.udf1, udf2: data.udf2, udf3: data.udf3 },
    datetime: formatIst(new Date(occurred_at)),
  }
}

/** A payload with the same fields that belongs to no order, for `POST /api/v1/webhooks/test`. */
export function testPayload(transactionId: string, now: Date): WebhookPayload {
  return {
    txnid: transactionId,
    merchantTxnId: `TEST-${transactionId}`,
    amount: '1.00',
    rrn: '000000000000',
    status: 'Success',
    payee: { name: 'Test Payer', vpa: 'test@sandbox' },
    metadata: { udf1: '', udf2: '', udf3: '' },
    datetime: formatIst(now),
  }
}
