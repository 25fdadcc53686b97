import {
  paymentsPage,
  Refused,
  timelinePart,
  type ExportedPayment,
  type PaymentsPage,
  type PaymentsQuery,
  type TimelinePart,
} from '@gateway/contracts'
import { createServiceClient, type ServiceAnswer } from '@gateway/service-kit/http-client'

/** What the ledger reads from `payment-status`. Each call throws `Unavailable` when there is no valid answer. */
export interface PaymentStatus {
  /** By their ids, at most `MAX_EXPORTED_PAYMENTS`. Unknown ids are left out. */
  readonly payments: (transactionIds: readonly string[]) => Promise<readonly ExportedPayment[]>
  readonly page: (query: PaymentsQuery) => Promise<PaymentsPage>
  /** Throws `order_not_found`, also for an order of another merchant. */
  readonly timeline: (merchantId: string, orderId: string) => Promise<TimelinePart>
}

const TIMEOUT_MS = 10_000
const MAX_SOCKETS = 8
/** Enough for 500 payments with several captures each. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

export function createPaymentStatus({ url, serviceToken }: { url: string; serviceToken: string }): PaymentStatus {
  const client = createServiceClient({
    baseUrl: url,
    bearer: serviceToken,
    timeoutMs: TIMEOUT_MS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    maxSockets: MAX_SOCKETS,
    unavailable: { code: 'payment_status_unavailable', detail: 'Payments cannot be read now; try again' },
  })
  const pageOf = ({ status, data }: ServiceAnswer): PaymentsPage => {
    if (status !== 200 || !paymentsPage(data)) throw client.unavailable(`status ${status}`)
    return data
  }

  return {
    async payments(ids) {
      if (ids.length === 0) return []
      return pageOf(await client.post('/internal/v1/payments', { transaction_ids: ids })).payments
    },

    page: async (query) => pageOf(await client.get('/internal/v1/payments', { params: query })),

    async timeline(merchantId, orderId) {
      const path = `/internal/v1/timelines/${encodeURIComponent(merchantId)}/${encodeURIComponent(orderId)}`
      const { status, data } = await client.get(path)
      if (status === 404 && isNoSuchOrder(data)) throw new Refused('order_not_found', 'There is no such order')
      if (status !== 200 || !timelinePart(data)) throw client.unavailable(`status ${status}`)
      return data
    },
  }
}

/** An older payment-status without this route also answers 404, but with another code. */
function isNoSuchOrder(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'code' in data && data.code === 'order_not_found'
}
