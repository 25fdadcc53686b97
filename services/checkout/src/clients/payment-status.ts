import { Refused, transactionViewReader, type PaymentMethod, type TransactionView } from '@gateway/contracts'
import { createServiceClient, problemCode, type ServiceAnswer } from '@gateway/service-kit/http-client'

/** Client of payment-status, the owner of every transaction. Each call throws `Unavailable` when there is no clear answer. */
export interface PaymentStatus {
  /** Throws `Refused` (`not_found`) when the transaction is unknown. */
  find(transactionId: string): Promise<TransactionView>
  /** Commits an attempt before the network is called. Repeating it changes nothing; an attempt that has ended is `refused`. */
  startAttempt(transactionId: string, attempt: { readonly id: string; readonly method: PaymentMethod }): Promise<AttemptCommit>
  /** "Try another way": payment-status keeps enquiring about the attempt. An attempt that has ended does not change. */
  abandonAttempt(transactionId: string, attemptId: string): Promise<void>
  /** Stops new attempts. A payment that has ended does not change. */
  cancel(transactionId: string): Promise<void>
  /** True when payment-status answers its health check with 200. */
  isUp(): Promise<boolean>
}

/** `another_is_open`: another request opened an attempt first, so this one was not committed. */
export type AttemptCommit = 'committed' | 'another_is_open' | 'refused'

const TRANSACTIONS = '/internal/v1/transactions'
const FIND_TIMEOUT_MS = 3000
/** Each change is idempotent and tried twice, so that one lost connection is not an error for the shopper. */
const CHANGE_TIMEOUT_MS = 2000
const MAX_ANSWER_BYTES = 256 * 1024
const RETRY_AFTER_SECONDS = 5

export function createPaymentStatusClient(options: { url: string; serviceToken: string }): PaymentStatus {
  const client = createServiceClient({
    baseUrl: options.url,
    bearer: options.serviceToken,
    timeoutMs: FIND_TIMEOUT_MS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    unavailable: {
      code: 'payment_status_unavailable',
      detail: 'The payment cannot be read now; try again',
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
      if (status === 404) throw new Refused('not_found', 'There is no payment at this address')
      if (status === 200 && transactionViewReader(data)) return data
      throw client.unavailable(`status ${status}`)
    },
    async startAttempt(transactionId, { id, method }) {
      const { status, data } = await post(`/${transactionId}/attempts`, { attempt_id: id, method })
      if (status === 404) return 'refused'
      if (status === 409) return problemCode(data) === 'attempt_not_allowed' ? 'another_is_open' : 'refused'
      if (status !== 201 || !transactionViewReader(data)) throw client.unavailable(`status ${status}`)
      return data.attempts.some((attempt) => attempt.id === id && attempt.status === 'open') ? 'committed' : 'refused'
    },
    async abandonAttempt(transactionId, attemptId) {
      const { status } = await post(`/${transactionId}/attempts/${encodeURIComponent(attemptId)}/abandon`)
      if (![200, 404, 409].includes(status)) throw client.unavailable(`status ${status}`)
    },
    async cancel(transactionId) {
      const { status } = await post(`/${transactionId}/cancel`)
      // 404 and 409: there is nothing left to cancel, and the page will say why.
      if (![200, 404, 409].includes(status)) throw client.unavailable(`status ${status}`)
    },
    isUp: async () => (await client.get('/healthz')).status === 200,
  }
}
