import { timelinePart, type TimelinePart } from '@gateway/contracts'
import { createServiceClient } from '@gateway/service-kit/http-client'

/** The webhooks of one transaction, as `webhook-dispatcher` reports them. Throws `Unavailable` when there is no valid answer. */
export type FetchWebhooks = (transactionId: string) => Promise<TimelinePart>

const TIMEOUT_MS = 3000
const MAX_SOCKETS = 8
/** More than the latest 50 attempts of each webhook of a payment and its refunds. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

export function createFetchWebhooks({ url, serviceToken }: { url: string; serviceToken: string }): FetchWebhooks {
  const client = createServiceClient({
    baseUrl: url,
    bearer: serviceToken,
    timeoutMs: TIMEOUT_MS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    maxSockets: MAX_SOCKETS,
    unavailable: { code: 'webhooks_unavailable', detail: 'Webhooks cannot be read now; try again' },
  })
  return async (transactionId) => {
    const { status, data } = await client.get(`/internal/v1/timelines/${encodeURIComponent(transactionId)}`)
    if (status !== 200 || !timelinePart(data)) throw client.unavailable(`status ${status}`)
    return data
  }
}
