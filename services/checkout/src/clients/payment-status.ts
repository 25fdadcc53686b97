import type { AxiosResponse } from 'axios'
import { transactionViewReader, Unavailable, type PaymentMethod, type TransactionView } from '@gateway/contracts'
import { createHttpClient } from './http-client.ts'

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

const FIND_TIMEOUT_MS = 3000
/** A change is idempotent and tried twice, so that a connection lost at the wrong moment is no error for the shopper. */
const CHANGE_TIMEOUT_MS = 2000
const MAX_ANSWER_BYTES = 256 * 1024
const RETRY_AFTER_SECONDS = 5

export function createPaymentStatusClient(options: { url: string; internalApiToken: string }): PaymentStatus {
  const client = createHttpClient({
    baseUrl: `${options.url}/internal/v1/transactions`,
    bearer: options.internalApiToken,
    timeoutMs: FIND_TIMEOUT_MS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
  })
  const post = async (path: string, body?: object): Promise<AxiosResponse<unknown>> => {
    const once = () => client.post<unknown>(path, body, { timeout: CHANGE_TIMEOUT_MS })
    return once().catch(once).catch(throwAway)
  }
  return {
    async find(transactionId) {
      const { status, data } = await client.get<unknown>(`/${transactionId}`).catch(throwAway)
      if (status === 404) return undefined
      if (status === 200 && transactionViewReader(data)) return data
      throw away(new Error(`payment-status answered ${status}`))
    },
    async startAttempt(transactionId, { id, method }) {
      const { status, data } = await post(`/${transactionId}/attempts`, { attempt_id: id, method })
      if (status === 404) return 'refused'
      if (status === 409) return hasCode(data, 'attempt_not_allowed') ? 'another_is_open' : 'refused'
      if (status !== 201 || !transactionViewReader(data)) throw away(new Error(`payment-status answered ${status}`))
      return data.attempts.some((attempt) => attempt.id === id && attempt.status === 'open') ? 'committed' : 'refused'
    },
    async abandonAttempt(transactionId, attemptId) {
      const { status } = await post(`/${transactionId}/attempts/${encodeURIComponent(attemptId)}/abandon`)
      if (![200, 404, 409].includes(status)) throw away(new Error(`payment-status answered ${status}`))
    },
    async cancel(transactionId) {
      const { status } = await post(`/${transactionId}/cancel`)
      // 404 and 409: there is nothing to cancel any more, and the page will say why.
      if (![200, 404, 409].includes(status)) throw away(new Error(`payment-status answered ${status}`))
    },
    isUp: async () => (await client.get<unknown>('/healthz', { baseURL: options.url })).status === 200,
  }
}

function hasCode(data: unknown, code: string): boolean {
  return typeof data === 'object' && data !== null && 'code' in data && data.code === code
}

function throwAway(cause: unknown): never {
  throw away(cause)
}

function away(cause: unknown): Unavailable {
  return new Unavailable('payment_status_unavailable', 'The payment cannot be looked up; try again', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  })
}
