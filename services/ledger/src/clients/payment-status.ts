import {
  exportedPayment,
  MAX_EXPORTED_PAYMENTS,
  paymentsPage,
  Refused,
  timelinePart,
  type ExportedPayment,
  type PaymentsPage,
  type PaymentsQuery,
  type TimelinePart,
} from '@gateway/contracts'
import { ANSWER_TOO_LONG, createServiceClient, failureCode, type ServiceAnswer } from '@gateway/service-kit/http-client'

/** What the ledger reads from `payment-status`. Each call throws `Unavailable` when there is no valid answer. */
export interface PaymentStatus {
  /** By their ids, at most `MAX_EXPORTED_PAYMENTS`. Unknown ids are left out. */
  readonly payments: (transactionIds: readonly string[]) => Promise<ReadPayments>
  readonly page: (query: PaymentsQuery) => Promise<ReadPayments & Pick<PaymentsPage, 'next_cursor'>>
  /** Throws `order_not_found`, also for an order of another merchant. */
  readonly timeline: (merchantId: string, orderId: string) => Promise<TimelinePart>
}

export interface ReadPayments {
  readonly payments: readonly ExportedPayment[]
  /** The ids of payments that violate the contract. They are reported apart, so that they do not hold up the others. */
  readonly unreadable: readonly string[]
}

const TIMEOUT_MS = 10_000
const MAX_SOCKETS = 8
/** payment-status ends a page after a megabyte and one payment. A payment has at most 16 MiB, the database's limit. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024

export function createPaymentStatus({
  url,
  serviceToken,
  maxAnswerBytes = MAX_ANSWER_BYTES,
}: {
  url: string
  serviceToken: string
  maxAnswerBytes?: number
}): PaymentStatus {
  const client = createServiceClient({
    baseUrl: url,
    bearer: serviceToken,
    timeoutMs: TIMEOUT_MS,
    maxAnswerBytes,
    maxSockets: MAX_SOCKETS,
    unavailable: { code: 'payment_status_unavailable', detail: 'Payments cannot be read now; try again' },
  })
  const pageOf = ({ status, data }: ServiceAnswer): ReadPayments & { next_cursor: string | null } => {
    if (status !== 200 || !paymentsPage(data)) throw client.unavailable(`status ${status}`)
    const [payments, unreadable]: [ExportedPayment[], string[]] = [[], []]
    for (const one of data.payments)
      if (exportedPayment(one)) payments.push(one)
      else unreadable.push('transaction_id' in one ? String(one.transaction_id) : 'unknown')
    return { payments, unreadable, next_cursor: data.next_cursor }
  }

  /** Asks for half as many payments when the answer is too long. */
  async function halving<T>(count: number, ask: (count: number) => Promise<T>): Promise<T> {
    try {
      return await ask(count)
    } catch (error) {
      if (failureCode(error) !== ANSWER_TOO_LONG || count === 1) throw error
      return halving(Math.ceil(count / 2), ask)
    }
  }

  return {
    async payments(ids) {
      const read: { payments: ExportedPayment[]; unreadable: string[] } = { payments: [], unreadable: [] }
      let left = ids.toSorted()
      while (left.length > 0) {
        const asked = left
        const { payments, unreadable, next_cursor, count } = await halving(asked.length, async (count) => {
          const answer = await client.post('/internal/v1/payments', { transaction_ids: asked.slice(0, count) })
          return { ...pageOf(answer), count }
        })
        read.payments.push(...payments)
        read.unreadable.push(...unreadable)
        left = next_cursor === null ? asked.slice(count) : asked.filter((id) => id > next_cursor)
      }
      return read
    },

    page: (query) =>
      halving(MAX_EXPORTED_PAYMENTS, async (count) =>
        pageOf(await client.get('/internal/v1/payments', { params: { ...query, limit: String(count) } })),
      ),

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
