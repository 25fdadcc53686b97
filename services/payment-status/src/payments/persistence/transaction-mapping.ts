import { orderKey as keyOf, orderTextsOf } from '@gateway/contracts'
import { toEntry, type OutboxDocument } from '@gateway/outbox'
import { publishedEvents } from '../domain/published-events.ts'
import { awaitsNetworkSince, nextDueAt, refundsDueAt as nextRefundDueAt } from '../domain/schedule.ts'
import type { Decision, Transaction } from '../domain/transaction.ts'
import type { TransactionDocument } from './transaction-document.ts'

/** The document that a decision leads to, with the decision's events in its outbox. */
export function toDocument(decision: Decision): TransactionDocument {
  const { id, ...fields } = decision.transaction
  const dueAt = nextDueAt(decision.transaction)
  const refundsDueAt = nextRefundDueAt(decision.transaction)
  const waitsSince = awaitsNetworkSince(decision.transaction)
  return {
    _id: id,
    orderKey: keyOf(fields.order.merchant.id, fields.order.orderId),
    ...fields,
    ...(dueAt ? { dueAt } : {}),
    ...(refundsDueAt ? { refundsDueAt } : {}),
    ...(waitsSince ? { waitsSince } : {}),
    outbox: publishedEvents(decision).map(toEntry),
  }
}

/** The state that a document holds, without what is kept beside it. A document may be older than a text of the order. */
export function toTransaction(document: Omit<TransactionDocument, 'outbox'> & Partial<OutboxDocument>): Transaction {
  const { _id: id, orderKey, dueAt, refundsDueAt, waitsSince, outbox, claim, refundsClaim, order, ...fields } = document
  return { id, order: { ...order, texts: orderTextsOf(order.texts) }, ...fields }
}
