import type { IncomingHttpHeaders } from 'node:http'
import { Pool } from 'undici'

/** An answer of the API, whatever its status. */
export interface ApiAnswer<T> {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** Milliseconds from the call to the last byte of the answer. */
  readonly tookMs: number
  /** The text as JSON, parsed at the first use, or the text itself when it is no JSON. Its shape is for the caller to check. */
  readonly body: T
}

/** Sends `body` as JSON. Rejects with an error of undici, which has a `code`, when there is no answer in time. */
export type ApiCall = <T = unknown>(
  method: string,
  path: string,
  body?: object,
  headers?: Readonly<Record<string, string>>,
) => Promise<ApiAnswer<T>>

/** Kept-alive connections to one origin, which the clients of many merchants may share. */
export interface ApiConnection {
  readonly call: ApiCall
  /** Ends calls that are under way, too. Optional: idle connections do not keep a process alive. */
  close(): Promise<void>
}

export interface ApiConnectionOptions {
  /** Calls at the same time; more of them queue. Default 64. */
  readonly connections?: number
  /** How long an answer may take to begin, and the longest pause within it, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number
}

/** Undici's pool and not `fetch`: a load generator spends about half the CPU on a call. Nothing is sent twice. */
export function connectApi(origin: string, { connections = 64, timeoutMs = 30_000 }: ApiConnectionOptions = {}): ApiConnection {
  const pool = new Pool(origin, { connections, pipelining: 1, headersTimeout: timeoutMs, bodyTimeout: timeoutMs })
  return {
    async call<T>(method: string, path: string, body?: object, headers: Readonly<Record<string, string>> = {}) {
      const startedMs = performance.now()
      const sent = body === undefined ? { headers } : { headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) }
      const { statusCode, headers: received, body: stream } = await pool.request({ method, path, ...sent })
      const text = await stream.text()
      return new Answer<T>({ status: statusCode, headers: received, text, tookMs: performance.now() - startedMs })
    },
    close: () => pool.destroy(),
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }

class Answer<T> implements ApiAnswer<T> {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly tookMs: number
  #body: { readonly value: T } | undefined

  constructor({ status, headers, text, tookMs }: Omit<ApiAnswer<T>, 'body'>) {
    this.status = status
    this.headers = headers
    this.text = text
    this.tookMs = tookMs
  }

  get body(): T {
    this.#body ??= { value: parse(this.text) as T }
    return this.#body.value
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
