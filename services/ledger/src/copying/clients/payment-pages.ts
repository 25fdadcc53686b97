import {
  exportedPayment,
  MAX_EXPORTED_PAYMENTS,
  paymentsPage,
  type ExportedPayment,
  type PaymentsPage,
  type PaymentsQuery,
} from '@gateway/contracts'
import { createServiceClient } from '@gateway/service-kit/http-client'

/** Reads one page of all payments at payment-status. Throws `Unavailable` when there is no valid answer. */
export type FetchPage = (query: PaymentsQuery) => Promise<ReadPage>

export interface ReadPage extends Pick<PaymentsPage, 'next_cursor'> {
  readonly payments: readonly ExportedPayment[]
  /** The ids of payments that violate the contract. They are reported apart, so that they do not hold up the others. */
  readonly unreadable: readonly string[]
}

const TIMEOUT_MS = 10_000
/** payment-status ends a page after a megabyte and one payment. A payment has at most 16 MiB, the database's limit. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024

export function createFetchPage({ url, serviceToken }: { url: string; serviceToken: string }): FetchPage {
  const client = createServiceClient({
    baseUrl: url,
    bearer: serviceToken,
    timeoutMs: TIMEOUT_MS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    unavailable: { code: 'payment_status_unavailable', detail: 'Payments cannot be read now; try again' },
  })
  return async (query) => {
    const params = { ...query, limit: String(MAX_EXPORTED_PAYMENTS) }
    const { status, data } = await client.get('/internal/v1/payments', { params })
    if (status !== 200 || !paymentsPage(data)) throw client.unavailable(`status ${status}`)
    const [payments, unreadable]: [ExportedPayment[], string[]] = [[], []]
    for (const payment of data.payments)
      if (exportedPayment(payment)) payments.push(payment)
      else unreadable.push('transaction_id' in payment ? String(payment.transaction_id) : 'unknown')
    return { payments, unreadable, next_cursor: data.next_cursor }
  }
}
