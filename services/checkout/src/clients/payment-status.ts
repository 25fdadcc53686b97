import type { AxiosResponse } from 'axios'
import { Unavailable, type PaymentMethod, type TransactionView } from '@gateway/contracts'
import { createHttpClient } from './http-client.ts'
import { isTransactionView } from './transaction-view.ts'

/** Client of payment-status, the owner of every transaction. Each call throws `Unavailable` when there is no clear answer. */
export interface PaymentStatus {
  /** Returns `undefined` when the transaction is unknown. */
  find(transactionId: string): Promise<TransactionView | undefined>
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

const FIND_TIMEOUT_MS = 3000
/** Each change is idempotent and tried twice, so that one lost connection is not an error for the shopper. */
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
    return once().catch(once).catch(throwUnavailable)
  }
  return {
    async find(transactionId) {
      const { status, data } = await client.get<unknown>(`/${transactionId}`).catch(throwUnavailable)
      if (status === 404) return undefined
      if (status === 200 && isTransactionView(data)) return data
      throw unavailable(new Error(`payment-status answered ${status}`))
    },
    async startAttempt(transactionId, { id, method }) {
      const { status, data } = await post(`/${transactionId}/attempts`, { attempt_id: id, method })
      if (status === 404) return 'refused'
      if (status === 409) return hasCode(data, 'attempt_not_allowed') ? 'another_is_open' : 'refused'
      if (status !== 201 || !isTransactionView(data)) throw unavailable(new Error(`payment-status answered ${status}`))
      return data.attempts.some((attempt) => attempt.id === id && attempt.status === 'open') ? 'committed' : 'refused'
    },
    async abandonAttempt(transactionId, attemptId) {
      const { status } = await post(`/${transactionId}/attempts/${encodeURIComponent(attemptId)}/abandon`)
      if (![200, 404, 409].includes(status)) throw unavailable(new Error(`payment-status answered ${status}`))
    },
    async cancel(transactionId) {
      const { status } = await post(`/${transactionId}/cancel`)
      // 404 and 409: there is nothing left to cancel, and the page will say why.
      if (![200, 404, 409].includes(status)) throw unavailable(new Error(`payment-status answered ${status}`))
    },
    isUp: async () => (await client.get<unknown>('/healthz', { baseURL: options.url })).status === 200,
  }
}

function hasCode(data: unknown, code: string): boolean {
  return typeof data === 'object' && data !== null && 'code' in data && data.code === code
}

function throwUnavailable(cause: unknown): never {
  throw unavailable(cause)
}

function unavailable(cause: unknown): Unavailable {
  return new Unavailable('payment_status_unavailable', 'The payment cannot be read now; try again', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  })
}
