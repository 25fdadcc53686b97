import type { IncomingHttpHeaders } from 'node:http'
import { Pool } from 'undici'

/** An answer with any status. */
export interface ApiAnswer<T> {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The parsed JSON, or the text itself when it is not JSON. The caller must check its shape. */
  readonly body: T
}

/** Kept-alive connections to one origin, which the clients of many merchants may share. */
export interface ApiConnection {
  /** Sends `body` as JSON. Without an answer in time, rejects with an undici error, which has a `code`. */
  call<T = unknown>(
    method: string,
    path: string,
    body?: object,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ApiAnswer<T>>
  /** For the SDK's option `fetch`. A call needs about half the CPU time of the global `fetch`, which matters in a load generator. */
  readonly fetch: typeof fetch
  /** Ends calls that are under way, too. Optional: idle connections do not keep a process alive. */
  close(): Promise<void>
}

export interface ApiConnectionOptions {
  /** Calls at the same time; more of them queue. Default 64. */
  readonly connections?: number
  /** How long an answer may take to begin, and the longest pause within it, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number
  /** The local address that calls are sent from. The gateway counts each address as one client. */
  readonly localAddress?: string
}

/** Never sends a request twice. */
export function connectApi(
  origin: string,
  { connections = 64, timeoutMs = 30_000, ...address }: ApiConnectionOptions = {},
): ApiConnection {
  const pool = new Pool(origin, { connections, pipelining: 1, headersTimeout: timeoutMs, bodyTimeout: timeoutMs, ...address })
  return {
    async call<T>(method: string, path: string, body?: object, headers: Readonly<Record<string, string>> = {}) {
      const sent = body === undefined ? { headers } : { headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) }
      const { statusCode, headers: received, body: stream } = await pool.request({ method, path, ...sent })
      const text = await stream.text()
      const answer: ApiAnswer<T> = { status: statusCode, headers: received, text, body: parse(text) as T }
      return answer
    },
    async fetch(input, { method = 'GET', headers, body = null, signal = null } = {}) {
      const { pathname, search } = new URL(input instanceof Request ? input.url : input)
      if (body !== null && typeof body !== 'string') throw new TypeError('this fetch sends text')
      const sent = { path: pathname + search, method, headers: Object.fromEntries(new Headers(headers)), body, signal }
      const { statusCode, headers: received, body: stream } = await pool.request(sent)
      return new Response(await stream.text(), { status: statusCode, headers: plain(received) })
    },
    close: () => pool.destroy(),
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }

function plain(headers: IncomingHttpHeaders): [string, string][] {
  return Object.entries(headers).map(([name, value]) => [name, String(value)])
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
