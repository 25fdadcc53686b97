import {
  eventId,
  formatRefundId,
  Refused,
  type ExportedPayment,
  type PaymentsPage,
  type RefundTransition,
  type TimelinePart,
  type Transition,
  type TransitionsPage,
} from '@gateway/contracts'
import { toExportedPayment, type Adopt, type Transaction } from '../../payments/index.ts'
import { timelineOf } from '../domain/timeline.ts'
import type { PageFilter, Pages, TransactionHistory } from '../persistence/pages.ts'
import { changesOf } from '../domain/past-events.ts'

/** What the ledger reads: payments page by page, and the timeline of one order. */
export interface ExportPayments {
  page(filter: PageFilter): Promise<PaymentsPage>
  /** Throws `order_not_found`, also for an order of another merchant. */
  timeline(merchantId: string, orderId: string): Promise<TimelinePart>
}

/** A page ends with the payment that makes it this long, so it exceeds this by less than one payment. */
const PAGE_BYTES = 1024 * 1024

export function makeExportPayments(pages: Pick<Pages, 'payments'>, adopt: Pick<Adopt, 'byOrder'>): ExportPayments {
  return {
    page: (filter) => pageOf(pages.payments(filter), filter.limit),

    async timeline(merchantId, orderId) {
      const found = await adopt.byOrder(merchantId, orderId)
      if (!found) throw new Refused('order_not_found', 'There is no such order')
      return { transaction_id: found.id, events: timelineOf(found) }
    },
  }
}

async function pageOf(found: AsyncIterable<Transaction>, limit: number): Promise<PaymentsPage> {
  const payments: ExportedPayment[] = []
  let bytes = 0
  for await (const transaction of found) {
    const payment = toExportedPayment(transaction)
    payments.push(payment)
    bytes += Buffer.byteLength(JSON.stringify(payment))
    if (bytes >= PAGE_BYTES || payments.length >= limit) return { payments, next_cursor: transaction.id }
  }
  return { payments, next_cursor: null }
}

/** A page of all committed status changes, for the audit of webhooks. */
export type ExportTransitions = (filter: PageFilter) => Promise<TransitionsPage>

/** A page ends with the transaction that makes it this long: one with twenty refunds has more than sixty changes. */
const MAX_CHANGES = 10_000

export function makeExportTransitions(pages: Pick<Pages, 'histories'>): ExportTransitions {
  return async (filter) => {
    const found = await pages.histories(filter)
    const [transitions, refunds]: [Transition[], RefundTransition[]] = [[], []]
    for (const history of found) {
      transitions.push(...transitionsOf(history))
      refunds.push(...refundsOf(history))
      if (transitions.length + refunds.length >= MAX_CHANGES) return { transitions, refunds, next_cursor: history._id }
    }
    const isLast = found.length < filter.limit
    return { transitions, refunds, next_cursor: isLast ? null : (found.at(-1)?._id ?? null) }
  }
}

function transitionsOf(history: TransactionHistory): Transition[] {
  const { _id: transactionId, order, outbox } = history
  const unpublished = new Set(outbox.map(({ id }) => id))
  return changesOf(history).map(({ sequence, status, at }) => ({
    transaction_id: transactionId,
    sequence,
    merchant_id: order.merchant.id,
    at: at.toISOString(),
    published: !unpublished.has(eventId(transactionId, sequence)),
    ...(sequence === history.sequence ? { status } : {}),
  }))
}

function refundsOf({ _id: transactionId, order, outbox, refunds }: TransactionHistory): RefundTransition[] {
  const unpublished = new Set(outbox.map(({ id }) => id))
  return (refunds ?? []).flatMap(({ n, sequence: last, status, created_at, completed_at, updated_at }) => {
    const refundId = formatRefundId(transactionId, n)
    const times = [created_at, completed_at ?? updated_at, updated_at]
    return Array.from({ length: last }, (_, index) => ({
      refund_id: refundId,
      sequence: index + 1,
      merchant_id: order.merchant.id,
      created_at: created_at.toISOString(),
      at: (times[index] ?? updated_at).toISOString(),
      published: !unpublished.has(`${refundId}.${index + 1}`),
      ...(index + 1 === last ? { status } : {}),
    }))
  })
}
