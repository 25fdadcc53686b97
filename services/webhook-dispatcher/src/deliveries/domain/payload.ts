import { formatIst, formatPaise, type TransactionStatusChanged, type WebhookPayload } from '@gateway/contracts'

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
