import { Agent } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import axios from 'axios'
import { transitionsPage, Unavailable, type TransitionsPage, type TransitionsQuery } from '@gateway/contracts'

/** Reads a page of committed status changes. Throws `Unavailable` when payment-status gives no valid answer. */
export type FetchTransitions = (query: TransitionsQuery) => Promise<TransitionsPage>

const TIMEOUT_MS = 10_000
const IDLE_MS = 30_000
/** Twice the size of a thousand transactions with three changes each. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024

export function paymentStatusTransitions({ url, token }: { url: string; token: string }): FetchTransitions {
  const http = axios.create({
    baseURL: url,
    timeout: TIMEOUT_MS,
    headers: { authorization: `Bearer ${token}` },
    // Only an agent with a timeout of its own respects the server's keep-alive hint.
    httpAgent: new Agent({ keepAlive: true, maxSockets: 4, timeout: IDLE_MS }),
    httpsAgent: new TlsAgent({ keepAlive: true, maxSockets: 4, timeout: IDLE_MS }),
    maxRedirects: 0,
    proxy: false,
    maxContentLength: MAX_ANSWER_BYTES,
    validateStatus: () => true,
  })
  return async (query) => {
    const answer = await http.get<unknown>('/internal/v1/transitions', { params: query }).catch((error: unknown) => {
      throw unavailable(error instanceof Error ? error.message : String(error))
    })
    if (answer.status !== 200 || !transitionsPage(answer.data)) throw unavailable(`status ${answer.status}`)
    return answer.data
  }
}

/** For a deployment without `PAYMENT_STATUS_URL`. */
export const noTransitions: FetchTransitions = () => {
  throw new Unavailable('audit_not_configured', 'The audit needs PAYMENT_STATUS_URL and INTERNAL_API_TOKEN')
}

function unavailable(why: string): Unavailable {
  return new Unavailable('payment_status_unavailable', 'The committed status changes cannot be read now; try again', {
    cause: new Error(why),
  })
}
