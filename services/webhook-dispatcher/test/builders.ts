import {
  eventId,
  newTransactionId,
  slotOfOrder,
  type RefundStatusChanged,
  type TransactionStatusChanged,
} from '@gateway/contracts'
import type { JsonClient } from '@gateway/testkit'
import type { Attempt } from '../src/deliveries/domain/delivery.ts'

let counter = 0

/** The first status change of a new order, now. A test overrides the fields that it is about. */
export function anEvent(merchantId: string, fields: Partial<TransactionStatusChanged['data']> = {}): TransactionStatusChanged {
  counter += 1
  const order_id = fields.order_id ?? `ORD-${counter}`
  const now = new Date().toISOString()
  const data = {
    transaction_id: newTransactionId(new Date(), slotOfOrder(merchantId, order_id)),
    order_id,
    merchant_id: merchantId,
    order_created_at: now,
    sequence: 2,
    status: 'Success' as const,
    amount_paise: 49_900,
    currency: 'INR' as const,
    method: 'upi' as const,
    rrn: '123456789012',
    payer: { name: 'Asha Rao', vpa: 'asha@bank' },
    failure_reason: null,
    udf1: 'one',
    udf2: '',
    udf3: '',
    ...fields,
  }
  const id = eventId(data.transaction_id, data.sequence)
  return { id, type: 'transaction.status-changed', version: 1, occurred_at: now, correlation_id: `c-${id}`, data }
}

/** Error or status code of each attempt, for comparison. */
export function codesOf(attempts: readonly Attempt[]): (number | string | null)[] {
  return attempts.map(({ status_code, error }) => error ?? status_code ?? null)
}

/** Registers the receiver (or another URL) for a merchant and returns its signing secret. */
export async function registerEndpoint(api: JsonClient, url: string): Promise<string> {
  const answer = await api<{ data: { signing_secret: string } }>('PUT', '/api/v1/webhooks/endpoint', { url })
  if (answer.status !== 200) throw new Error(`the endpoint was not registered: ${JSON.stringify(answer.body)}`)
  return answer.body.data.signing_secret
}

let refundCount = 0
/** A refund that was requested now, and has succeeded. */
export function aRefund(merchantId: string, data: Partial<RefundStatusChanged['data']> = {}): RefundStatusChanged {
  refundCount += 1
  const order_id = `ORD-${refundCount}`
  const transactionId = newTransactionId(new Date(), slotOfOrder(merchantId, order_id))
  const now = new Date().toISOString()
  const id = `${transactionId}R01`
  return {
    id: `${id}.${data.sequence ?? 2}`,
    type: 'refund.status-changed',
    version: 1,
    occurred_at: now,
    correlation_id: 'c',
    data: {
      id,
      refund_id: 'RF-1',
      order_id,
      transaction_id: transactionId,
      amount: '200.00',
      currency: 'INR',
      status: 'succeeded',
      pending_reason: null,
      failure_code: null,
      rrn: '998877665544',
      sequence: 2,
      reason: 'returned',
      note: '',
      created_at: now,
      updated_at: now,
      completed_at: now,
      merchant_id: merchantId,
      reference: 'R1',
      method: 'upi',
      amount_paise: 20_000,
      captured_paise: 49_900,
      refunded_paise: 20_000,
      ...data,
    },
  }
}
