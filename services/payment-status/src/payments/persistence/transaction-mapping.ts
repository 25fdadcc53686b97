import { orderKey, orderTextsOf } from '@gateway/contracts'
import { toEntry, type OutboxDocument } from '@gateway/outbox'
import { publishedEvents } from '../domain/published-events.ts'
import { awaitsNetworkSince, nextDueAt, refundsDueAt } from '../domain/schedule.ts'
import type { Decision, Refund, Transaction } from '../domain/transaction.ts'
import type { TransactionDocument } from './transaction-document.ts'

/** The document that a decision leads to, with the decision's events in its outbox. */
export function toDocument(decision: Decision): TransactionDocument & OutboxDocument {
  const { transaction } = decision
  const { id, order, attempts, captures, seenReports, reversals, refunds, answers, ...fields } = transaction
  const dueAt = nextDueAt(transaction)
  const waitsSince = awaitsNetworkSince(transaction)
  return {
    _id: id,
    orderKey: orderKey(order.merchant.id, order.orderId),
    order: { ...order, methods: [...order.methods] },
    ...fields,
    attempts: [...attempts],
    captures: [...captures],
    seenReports: [...seenReports],
    reversals: [...reversals],
    ...(refunds ? refundFields(refunds) : {}),
    ...(answers ? { answers: [...answers] } : {}),
    ...(dueAt ? { dueAt } : {}),
    ...(waitsSince ? { waitsSince } : {}),
    outbox: publishedEvents(decision).map(toEntry),
  }
}

/** Nothing for a transaction without refunds, so that a payment's writes stay as they are. */
function refundFields(refunds: readonly Refund[]): Pick<TransactionDocument, 'refunds' | 'refundsDueAt'> {
  const dueAt = refundsDueAt({ refunds })
  return { refunds: [...refunds], ...(dueAt ? { refundsDueAt: dueAt } : {}) }
}

/** The state that a document holds, without what is kept beside it: outbox and claims. */
export function toTransaction(
  document: Omit<TransactionDocument, 'outbox' | 'claim' | 'refundsClaim'>,
): Transaction {
  const { _id: id, order, attempts, reversals, refunds, answers, asPending, returnedUpTo } = document
  return {
    id,
    order: { ...order, texts: orderTextsOf(order.texts) },
    status: document.status,
    sequence: document.sequence,
    version: document.version,
    method: document.method ?? null,
    rrn: document.rrn ?? null,
    payer: document.payer ?? null,
    failureReason: document.failureReason ?? null,
    asPending: asPending
      ? { at: asPending.at, method: asPending.method ?? null, rrn: asPending.rrn ?? null, payer: asPending.payer ?? null }
      : null,
    attempts: attempts.map(({ failureReason = null, reference = null, endedAt = null, ...attempt }) => ({
      ...attempt,
      failureReason,
      reference,
      endedAt,
    })),
    captures: document.captures,
    seenReports: document.seenReports,
    reversals: reversals.map(({ completedAt = null, dueAt = null, ...reversal }) => ({ ...reversal, completedAt, dueAt })),
    ...(refunds ? { refunds: refunds.map(toRefund) } : {}),
    closing: document.closing ?? null,
    enquiry: document.enquiry ?? null,
    ...(typeof returnedUpTo === 'string' ? { returnedUpTo } : {}),
    ...(answers ? { answers: answers.map(({ at, payments = null, why = null }) => ({ at, payments, why })) } : {}),
    createdAt: document.createdAt,
    updatedAt: document.updatedAt,
    expiresAt: document.expiresAt,
    finalAt: document.finalAt ?? null,
  }
}

type StoredRefund = NonNullable<TransactionDocument['refunds']>[number]

function toRefund(stored: StoredRefund): Refund {
  const { pendingReason = null, failureCode = null, networkCode = null, rrn = null } = stored
  const { completedAt = null, returnedAt = null, dueAt = null } = stored
  return { ...stored, pendingReason, failureCode, networkCode, rrn, completedAt, returnedAt, dueAt }
}
