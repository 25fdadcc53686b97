import { Refused, type ExportedPayment, type PaymentsPage, type TimelinePart } from '@gateway/contracts'
import { type Adopt, toExportedPayment, type Transaction } from '../../payments/index.ts'
import { timelineOf } from '../domain/timeline.ts'
import type { PageFilter, Pages } from '../persistence/pages.ts'

/** What the ledger reads: payments page by page, and the timeline of one order. */
export interface ExportPayments {
  page(filter: PageFilter): Promise<PaymentsPage>
  /** Throws `order_not_found`, also for an order of another merchant. */
  timeline(merchantId: string, orderId: string): Promise<TimelinePart>
}

/** A page ends with the payment that makes it this long, so it exceeds this by less than one payment. */
const PAGE_BYTES = 1024 * 1024

export function makeExportPayments(dependencies: {
  pages: Pick<Pages, 'payments'>
  adopt: Pick<Adopt, 'byOrder'>
}): ExportPayments {
  const { pages, adopt } = dependencies

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
