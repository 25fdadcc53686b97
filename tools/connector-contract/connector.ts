import axios from 'axios'
import { NETWORK_PATHS } from '@gateway/contracts'

export interface Answer {
  readonly status: number
  readonly body: unknown
}

/** The three calls of the contract, sent as they are given: a check may send what no gateway would. */
export interface Connector {
  start(body: object, idempotencyKey: string): Promise<Answer>
  enquire(query: Readonly<Record<string, string>>): Promise<Answer>
  reverse(body: object, idempotencyKey: string): Promise<Answer>
  /** The same connector, called with another key, or with none. */
  withApiKey(apiKey: string | undefined): Connector
}

const TIMEOUT_MS = 10_000
const MAX_ANSWER_BYTES = 1024 * 1024

/** Whatever is answered is an answer; each call rejects only when none comes. */
export function connectTo(url: string, apiKey: string | undefined): Connector {
  const client = axios.create({
    baseURL: url,
    headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
    timeout: TIMEOUT_MS,
    maxContentLength: MAX_ANSWER_BYTES,
    maxRedirects: 0,
    proxy: false,
    validateStatus: () => true,
  })
  const post = async (path: string, body: object, key: string): Promise<Answer> => {
    const { status, data } = await client.post<unknown>(path, body, { headers: key === '' ? {} : { 'idempotency-key': key } })
    return { status, body: data }
  }
  return {
    start: (body, key) => post(NETWORK_PATHS.payments, body, key),
    reverse: (body, key) => post(NETWORK_PATHS.reversals, body, key),
    async enquire(query) {
      const { status, data } = await client.get<unknown>(NETWORK_PATHS.payments, { params: query })
      return { status, body: data }
    },
    withApiKey: (other) => connectTo(url, other),
  }
}

/** An answer in a few words; it holds no secret, since no answer of the contract does. */
export function inWords({ status, body }: Answer): string {
  return `${status} ${JSON.stringify(body).slice(0, 300)}`
}
