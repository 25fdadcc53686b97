import { ORDER_METHODS, orderTextsOf, type OrderCreated } from '@gateway/contracts'
import type { Decision, Transaction } from './transaction.ts'
import { statusChanged, unchanged } from './transition.ts'

/** The transaction of a new order, with its first event. Fields that a newer publisher added are left out. */
export function openTransaction({ data, correlation_id: correlationId }: OrderCreated): Decision {
  const { id, name, vpa, mcc } = data.merchant
  const createdAt = new Date(data.created_at)
  const transaction: Transaction = {
    id: data.transaction_id,
    order: {
      orderId: data.order_id,
      merchant: { id, name, vpa, mcc },
      amountPaise: data.amount_paise,
      texts: orderTextsOf(data),
      methods: ORDER_METHODS.filter((method) => data.methods.includes(method)),
      maxAttempts: data.max_attempts,
      intent: data.intent,
      correlationId,
    },
    status: 'Initiate',
    sequence: 1,
    version: 1,
    method: null,
    rrn: null,
    payer: null,
    failureReason: null,
    asPending: null,
    attempts: [],
    captures: [],
    seenReports: [],
    reversals: [],
    closing: null,
    enquiry: null,
    createdAt,
    updatedAt: createdAt,
    expiresAt: new Date(data.expires_at),
    finalAt: null,
  }
  return { ...unchanged(transaction), changed: true, events: [statusChanged(transaction)] }
}
