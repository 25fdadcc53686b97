import { transitionsPage, Unavailable, type TransitionsPage, type TransitionsQuery } from '@gateway/contracts'
import { createServiceClient } from '@gateway/service-kit/http-client'

/** Reads a page of committed status changes. Throws `Unavailable` when payment-status gives no valid answer. */
export type FetchTransitions = (query: TransitionsQuery) => Promise<TransitionsPage>

const TIMEOUT_MS = 10_000
const MAX_SOCKETS = 4
/** Twice the size of a thousand transactions with three changes each and as many refunds as they can have. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024

export function paymentStatusTransitions({ url, token }: { url: string; token: string }): FetchTransitions {
  const client = createServiceClient({
    baseUrl: url,
    bearer: token,
    timeoutMs: TIMEOUT_MS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    maxSockets: MAX_SOCKETS,
    unavailable: {
      code: 'payment_status_unavailable',
      detail: 'The committed status changes cannot be read now; try again',
    },
  })
  return async (query) => {
    const { status, data } = await client.get('/internal/v1/transitions', { params: query })
    if (status !== 200 || !transitionsPage(data)) throw client.unavailable(`status ${status}`)
    return data
  }
}

/** For a deployment without `PAYMENT_STATUS_URL`. */
export const noTransitions: FetchTransitions = () => {
  throw new Unavailable('audit_not_configured', 'The audit needs PAYMENT_STATUS_URL and SERVICE_TOKEN')
}
