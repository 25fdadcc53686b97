import { Agent } from 'undici'
import { Fault, Unavailable, utf8Text, type ProblemCode } from '@gateway/contracts'
import { correlationHeaders } from '../http/observe-request.ts'
import { exchange, type Exchange } from './exchange.ts'

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
  readonly unavailable: { readonly code: ProblemCode; readonly detail: string; readonly retryAfterSeconds?: number }
}

export interface CallOptions {
  /** Query parameters. */
  readonly params?: Readonly<Record<string, string | number | undefined>>
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

/** How long an unused connection is kept at most, in milliseconds; less when the server's `keep-alive` header says so. */
const IDLE_MS = 30_000
/** Some firewalls refuse calls without a user agent. */
const ALWAYS = { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'payment-gateway/1' }

/** One request of a client, not yet sent. */
export interface ClientRequest {
  readonly origin: string
  readonly method: 'GET' | 'POST'
  /** With the query. */
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: Buffer | string | null
}

/** Sends one request within a deadline for the whole exchange. Never rejects. A longer answer is cut, or an error. */
export type Send = (
  request: ClientRequest,
  limits: { readonly timeoutMs: number; readonly maxAnswerBytes: number },
) => Promise<Exchange>

/**
 * A client of one other service: kept-alive connections, no redirects, no proxy from the environment, bounded answers, one
 * deadline, and the current request id and trace in the headers. It sends with undici (ADR 18) unless `send` is given.
 */
export function createServiceClient(options: ServiceClientOptions, send: Send = sendWithUndici(options)): ServiceClient {
  const { bearer, timeoutMs, maxAnswerBytes } = options
  const { origin, pathname } = new URL(options.baseUrl)
  const base = pathname.replace(/\/$/u, '')
  const always = { ...ALWAYS, ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }) }
  const unavailable = (reason: string): Unavailable => toUnavailable(options.unavailable, reason)

  async function call(
    method: 'GET' | 'POST',
    path: string,
    { timeoutMs: callMs = timeoutMs, params, headers, body }: CallOptions & { readonly body?: object | undefined } = {},
  ): Promise<ServiceAnswer> {
    const sent = bodyOf(body)
    const request = {
      ...{ origin, method, path: pathOf(base, path, params), body: sent.body },
      headers: { ...always, ...sent.headers, ...correlationHeaders(), ...headers },
    }
    const answer = await send(request, { timeoutMs: callMs, maxAnswerBytes })
    if (answer.error !== undefined) throw unavailable(codeOf(answer.error))
    if (answer.statusCode === null) throw unavailable('ERR_BAD_RESPONSE')
    if (answer.body.length > maxAnswerBytes) throw unavailable(ANSWER_TOO_LONG)
    const text = utf8Text(answer.body)
    if (text === undefined) throw unavailable('ERR_BAD_RESPONSE')
    return { status: answer.statusCode, data: parsed(text) }
  }

  return {
    get: (path, callOptions) => call('GET', path, callOptions),
    post: (path, body, callOptions) => call('POST', path, { ...callOptions, body }),
    unavailable,
  }
}

function sendWithUndici({ timeoutMs, maxSockets }: ServiceClientOptions): Send {
  const agent = new Agent({
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    connect: { timeout: timeoutMs },
    // `exchange` ends the call at its deadline.
    headersTimeout: 0,
    bodyTimeout: 0,
    ...(maxSockets !== undefined && { connections: maxSockets }),
  })
  // One byte more than is allowed: a body of that length is too long.
  return (request, { timeoutMs: callMs, maxAnswerBytes }) =>
    exchange(agent, request, { timeoutMs: callMs, maxBodyBytes: maxAnswerBytes + 1 })
}

/** An object is sent as JSON; a `Buffer` as it is, with the content type of the call's headers. */
function bodyOf(body: object | undefined): { readonly body: Buffer | string | null; readonly headers: Record<string, string> } {
  if (body === undefined) return { body: null, headers: {} }
  if (Buffer.isBuffer(body)) return { body, headers: {} }
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
}

function pathOf(base: string, path: string, params: CallOptions['params']): string {
  const whole = path === '' || path.startsWith('/') ? base + path : `${base}/${path}`
  const given = Object.entries(params ?? {}).filter(([, value]) => value !== undefined)
  const query = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString()
  return (whole === '' ? '/' : whole) + (query === '' ? '' : `?${query}`)
}

/** The failure code of an answer above the caller's limit. The other service works: the caller can ask it for less. */
export const ANSWER_TOO_LONG = 'ERR_ANSWER_TOO_LONG'

/** Text that is not JSON stays text, which no check of an answer accepts. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The system's code for what happened: undici's own codes would reach timelines and logs. */
function codeOf(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'unknown'
  if (code === 'UND_ERR_SOCKET') return 'ECONNRESET'
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return 'ETIMEDOUT'
  return /^(?:UND_ERR|HPE)_/u.test(code) ? 'ERR_BAD_RESPONSE' : code
}

/** Only a code becomes the cause: an error of a library may carry the request, its authorization included. */
function toUnavailable({ code, detail, retryAfterSeconds }: ServiceClientOptions['unavailable'], reason: string): Unavailable {
  const cause = Object.assign(new Fault(reason), { code: reason })
  return new Unavailable(code, detail, { cause, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) })
}

/** Why a call had no answer, such as `ECONNREFUSED` or `ETIMEDOUT`; `unknown` for an error of another kind. */
export function failureCode(error: unknown): string {
  const cause = error instanceof Unavailable ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : 'unknown'
}

/** The code of a service's problem; `undefined` for any other answer, such as that of a proxy. */
export function problemCode(data: unknown): unknown {
  return typeof data === 'object' && data !== null && 'code' in data ? data.code : undefined
}
