import {
  paymentsPage,
  Refused,
  timelinePart,
  type ExportedPayment,
  type PaymentsPage,
  type PaymentsQuery,
  type TimelinePart,
} from '@gateway/contracts'
import { createBatcher } from '@gateway/service-kit'
import { createServiceClient, type ServiceAnswer } from '@gateway/service-kit/http-client'

/** What the ledger reads from `payment-status`. Each call throws `Unavailable` when there is no valid answer. */
export interface PaymentStatus {
  /** `undefined` for a payment that does not exist. Concurrent calls share one request. */
  readonly payment: (transactionId: string) => Promise<ExportedPayment | undefined>
  readonly page: (query: PaymentsQuery) => Promise<PaymentsPage>
  /** Throws `order_not_found`, also for an order of another merchant. */
  readonly timeline: (merchantId: string, orderId: string) => Promise<TimelinePart>
}

const TIMEOUT_MS = 10_000
const MAX_SOCKETS = 8
/** Enough for 500 payments with several captures each. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024
/** A read waits up to `maxDelayMs` for others, so that one request reads many payments. */
const BATCHING = { maxBatchSize: 200, maxQueued: 2000, maxDelayMs: 20, flushAtSize: 50 } as const

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
    payment: createBatcher<string, ExportedPayment | undefined>({
      ...BATCHING,
      run: async (ids) => {
        const { payments } = pageOf(await client.post('/internal/v1/payments', { transaction_ids: [...new Set(ids)] }))
        const byId = new Map(payments.map((payment) => [payment.transaction_id, payment]))
        return ids.map((id) => ({ status: 'fulfilled', value: byId.get(id) }))
      },
    }),

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
