import { transactionViewReader, type PaymentMethod, type TransactionView } from '@gateway/contracts'
import { createServiceClient, type ServiceAnswer } from '@gateway/service-kit/http-client'

/** `payment-status`, which keeps the truth. Every call throws `Unavailable` when it cannot say. */
export interface PaymentStatus {
  /** `undefined` when no such transaction is known. */
  find(transactionId: string): Promise<TransactionView | undefined>
  /** Commits an attempt before the network is called. The same one again changes nothing; one that has ended is `refused`. */
  startAttempt(transactionId: string, attempt: { readonly id: string; readonly method: PaymentMethod }): Promise<AttemptCommit>
  /** "Try another way": the attempt stays enquired. One that has ended stays as it ended. */
  abandonAttempt(transactionId: string, attemptId: string): Promise<void>
  /** Stops new attempts; a payment that has ended stays as it ended. */
  cancel(transactionId: string): Promise<void>
  /** True when it answers at all. */
  isUp(): Promise<boolean>
}

/** `another_is_open`: somebody was faster, so that nothing new began. */
export type AttemptCommit = 'committed' | 'another_is_open' | 'refused'

const TRANSACTIONS = '/internal/v1/transactions'
const FIND_TIMEOUT_MS = 3000
/** A change is idempotent and tried twice, so that a connection lost at the wrong moment is no error for the shopper. */
const CHANGE_TIMEOUT_MS = 2000
const MAX_ANSWER_BYTES = 256 * 1024
const RETRY_AFTER_SECONDS = 5

export function createPaymentStatusClient(options: { url: string; internalApiToken: string }): PaymentStatus {
  const client = createServiceClient({
    baseUrl: options.url,
    bearer: options.internalApiToken,
    timeoutMs: FIND_TIMEOUT_MS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    unavailable: {
      code: 'payment_status_unavailable',
      detail: 'The payment cannot be looked up; try again',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    },
  })
  const post = async (path: string, body?: object): Promise<ServiceAnswer> => {
    const once = () => client.post(`${TRANSACTIONS}${path}`, body, { timeoutMs: CHANGE_TIMEOUT_MS })
    return once().catch(once)
  }
  return {
    async find(transactionId) {
      const { status, data } = await client.get(`${TRANSACTIONS}/${transactionId}`)
      if (status === 404) return undefined
      if (status === 200 && transactionViewReader(data)) return data
      throw client.unavailable(`status ${status}`)
    },
    async startAttempt(transactionId, { id, method }) {
      const { status, data } = await post(`/${transactionId}/attempts`, { attempt_id: id, method })
      if (status === 404) return 'refused'
      if (status === 409) return hasCode(data, 'attempt_not_allowed') ? 'another_is_open' : 'refused'
      if (status !== 201 || !transactionViewReader(data)) throw client.unavailable(`status ${status}`)
      return data.attempts.some((attempt) => attempt.id === id && attempt.status === 'open') ? 'committed' : 'refused'
    },
    async abandonAttempt(transactionId, attemptId) {
      const { status } = await post(`/${transactionId}/attempts/${encodeURIComponent(attemptId)}/abandon`)
      if (![200, 404, 409].includes(status)) throw client.unavailable(`status ${status}`)
    },
    async cancel(transactionId) {
      const { status } = await post(`/${transactionId}/cancel`)
      // 404 and 409: there is nothing to cancel any more, and the page will say why.
      if (![200, 404, 409].includes(status)) throw client.unavailable(`status ${status}`)
    },
    isUp: async () => (await client.get('/healthz')).status === 200,
  }
}

function hasCode(data: unknown, code: string): boolean {
  return typeof data === 'object' && data !== null && 'code' in data && data.code === code
}
