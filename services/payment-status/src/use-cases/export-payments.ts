import { Refused, type PaymentsPage, type TimelinePart } from '@gateway/contracts'
import { toExportedPayment } from '../domain/exported-payment.ts'
import { timelineOf } from '../domain/timeline.ts'
import type { PaymentPages } from '../persistence/payment-pages.ts'
import type { TransitionFilter } from '../persistence/transition-list.ts'
import type { Adopt } from './adopt.ts'

/** What the ledger reads: payments page by page, payments by their ids, and the timeline of one order. */
export interface ExportPayments {
  page(filter: TransitionFilter): Promise<PaymentsPage>
  /** Unknown ids are left out. */
  byIds(transactionIds: readonly string[]): Promise<PaymentsPage>
  /** Throws `order_not_found`, also for an order of another merchant. */
  timeline(merchantId: string, orderId: string): Promise<TimelinePart>
}

export function makeExportPayments(dependencies: { pages: PaymentPages; adopt: Pick<Adopt, 'byOrder'> }): ExportPayments {
  const { pages, adopt } = dependencies

  /** An order whose event has not arrived yet. */
  async function adopted(merchantId: string, orderId: string) {
    return (await adopt.byOrder(merchantId, orderId)) ? pages.byOrder(merchantId, orderId) : undefined
  }

  return {
    async page(filter) {
      const found = await pages.page(filter)
      const isLast = found.length < filter.limit
      return { payments: found.map(toExportedPayment), next_cursor: isLast ? null : (found.at(-1)?.id ?? null) }
    },

    async byIds(transactionIds) {
      const found = await pages.byIds(transactionIds)
      return { payments: found.map(toExportedPayment), next_cursor: null }
    },

    async timeline(merchantId, orderId) {
      const found = (await pages.byOrder(merchantId, orderId)) ?? (await adopted(merchantId, orderId))
      if (!found) throw new Refused('order_not_found', 'There is no such order')
      const { transaction, times } = found
      const timeOf = (sequence: number): Date => times.get(sequence) ?? transaction.finalAt ?? transaction.updatedAt
      return { transaction_id: transaction.id, events: timelineOf(transaction, timeOf) }
    },
  }
}
