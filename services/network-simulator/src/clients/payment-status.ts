import { isFinal, Refused, transactionViewReader, type TransactionView } from '@gateway/contracts'
import { createServiceClient, type ServiceClient } from '@gateway/service-kit/http-client'

/** Both return `undefined` for an unknown order, and throw `Unavailable` when payment-status gives no clear answer. */
export interface PaymentStatus {
  readonly findTransaction: (tr: string) => Promise<TransactionView | undefined>
  readonly findOrder: (merchantId: string, orderId: string) => Promise<TransactionView | undefined>
}

const TIMEOUT_MS = 3000
const MAX_ANSWER_BYTES = 64 * 1024

export function createPaymentStatusClient(options: { url: string; serviceToken: string }): PaymentStatus {
  const client = createServiceClient({
    baseUrl: options.url,
    bearer: options.serviceToken,
    timeoutMs: TIMEOUT_MS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    unavailable: { code: 'payment_status_unavailable', detail: 'The order cannot be read now; try again' },
  })
  const at = (...segments: string[]): string => `/internal/v1/transactions/${segments.map(encodeURIComponent).join('/')}`
  return {
    findTransaction: (tr) => find(client, at(tr)),
    findOrder: (merchantId, orderId) => find(client, at('by-order-id', merchantId, orderId)),
  }
}

async function find(client: ServiceClient, path: string): Promise<TransactionView | undefined> {
  const { status, data: view } = await client.get(path)
  if (status === 404) return undefined
  if (status !== 200 || !transactionViewReader(view)) throw client.unavailable(`status ${status}`)
  return view
}

/** Throws `Refused` with code `notFound` for an unknown order, and `order_not_payable` for one that has ended. */
export function requirePayable(
  transaction: TransactionView | undefined,
  notFound: 'order_not_found' | 'transaction_not_found',
  now: Date,
): TransactionView {
  if (!transaction) throw new Refused(notFound, 'There is no such order')
  // A cancelled or expired order may not be final yet.
  if (isFinal(transaction.status) || transaction.closing !== null || new Date(transaction.expires_at) <= now)
    throw new Refused('order_not_payable', 'The order is finished, expired or cancelled')
  return transaction
}
