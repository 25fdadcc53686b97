import { Agent } from '../http/node-http.ts'
import { Agent as TlsAgent } from 'node:https'
import { createRequire } from 'node:module'
import type { AxiosRequestConfig, AxiosStatic } from 'axios'
import { Unavailable } from '@gateway/contracts'
import { correlationHeaders } from '../http/correlation-headers.ts'

/** axios as one CommonJS file: as the 66 modules of its other build it takes 5 MiB more of a process. */
const axios = createRequire(import.meta.url)('axios') as AxiosStatic

export interface ServiceClientOptions {
  /** Paths are appended to it. Nothing leads a call to another host. */
  readonly baseUrl: string
  /** Sent as `authorization: Bearer …`. */
  readonly bearer?: string
  /** Deadline of one whole exchange, from connecting to the last byte, in milliseconds. */
  readonly timeoutMs: number
  /** A longer answer is an error. */
  readonly maxAnswerBytes: number
  /** Connections to one host at a time; further calls wait for one. Unlimited by default. */
  readonly maxSockets?: number
  /** The error that callers get when there is no answer. */
  readonly unavailable: { readonly code: string; readonly detail: string; readonly retryAfterSeconds?: number }
}

export interface CallOptions {
  /** Query parameters. */
  readonly params?: object
  readonly headers?: Readonly<Record<string, string>>
  /** Deadline of this call, in place of the client's. */
  readonly timeoutMs?: number
}

/** An answer of any status; `data` is its parsed JSON, not yet checked. */
export interface ServiceAnswer {
  readonly status: number
  readonly data: unknown
}

/** Calls one other service. A call without an answer rejects with `Unavailable`; every status, redirects included, is an answer. */
export interface ServiceClient {
  get(path: string, options?: CallOptions): Promise<ServiceAnswer>
  post(path: string, body?: object, options?: CallOptions): Promise<ServiceAnswer>
  /** The same `Unavailable`, for an answer that makes no sense. */
  unavailable(reason: string): Unavailable
}

/** How long an unused connection is kept, in milliseconds. An agent with a timeout also heeds the server's `keep-alive`. */
const IDLE_MS = 30_000

/**
 * A client of one other service: kept-alive connections, no redirects, no proxy from the environment, bounded answers, one
 * deadline, and the current request id and trace in the headers.
 */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const { baseUrl, bearer, timeoutMs, maxAnswerBytes, maxSockets = Infinity } = options
  const http = axios.create({
    baseURL: baseUrl,
    allowAbsoluteUrls: false,
    headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
    httpAgent: new Agent({ keepAlive: true, maxSockets, timeout: IDLE_MS }),
    httpsAgent: new TlsAgent({ keepAlive: true, maxSockets, timeout: IDLE_MS }),
    maxRedirects: 0,
    proxy: false,
    maxContentLength: maxAnswerBytes,
    validateStatus: () => true,
  })
  const unavailable = (reason: string): Unavailable => toUnavailable(options.unavailable, reason)

  async function call(request: AxiosRequestConfig, { timeoutMs: callMs = timeoutMs, params, headers }: CallOptions = {}) {
    // Not axios' own timeout: that one restarts with every byte.
    const signal = AbortSignal.timeout(callMs)
    try {
      const all = { ...correlationHeaders(), ...headers }
      const { status, data } = await http.request<unknown>({ ...request, ...(params && { params }), headers: all, signal })
      return { status, data }
    } catch (error) {
      throw unavailable(signal.aborted ? 'ETIMEDOUT' : ((axios.isAxiosError(error) ? error.code : undefined) ?? 'unknown'))
    }
  }

  return {
    get: (url, callOptions) => call({ method: 'get', url }, callOptions),
    post: (url, data, callOptions) => call({ method: 'post', url, data }, callOptions),
    unavailable,
  }
}

/** Only a code becomes the cause: an axios error carries the whole request, its authorization included. */
function toUnavailable({ code, detail, retryAfterSeconds }: ServiceClientOptions['unavailable'], reason: string): Unavailable {
  const cause = Object.assign(new Error(reason), { code: reason })
  return new Unavailable(code, detail, { cause, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) })
}

/** Why a call had no answer, such as `ECONNREFUSED` or `ETIMEDOUT`; `unknown` for an error of another kind. */
export function failureCode(error: unknown): string {
  const cause = error instanceof Unavailable ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : 'unknown'
}
