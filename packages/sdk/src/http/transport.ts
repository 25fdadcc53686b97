import type { Clock } from '../clock.ts'
import { ApiError, ConnectionError, TimeoutError } from '../errors.ts'
import type { Answer, Exchange } from './exchange.ts'
import type { TokenSource } from './token.ts'

/** One operation of the public API. */
export interface Operation {
  readonly method: 'DELETE' | 'GET' | 'POST' | 'PUT'
  readonly path: string
  /** Sending the request twice has the effect of once, so it may be retried after an unclear failure. */
  readonly repeatable: boolean
  /** Added to `timeoutMs` and `deadlineMs`, because the gateway itself waits for another party. */
  readonly extraTimeoutMs?: number
}

export interface TransportOptions {
  readonly baseUrl: string
  readonly fetch: typeof fetch
  readonly tokens: TokenSource
  readonly clock: Clock
  readonly timeoutMs: number
  readonly deadlineMs: number
  readonly maxRetries: number
  readonly userAgent: string
}

export interface Call {
  /** Sent as JSON: the same bytes at every try. */
  readonly body?: object
  readonly query?: Readonly<Record<string, string | number | undefined>>
  /** Replaces `{id}` in the path. */
  readonly id?: string
  /** Shortens the deadline of this call. */
  readonly deadlineMs?: number
}

/** Sends an operation until it is answered, refused for good, or out of retries or time. */
export type Transport = (operation: Operation, call?: Call) => Promise<Answer>

/** Like `Transport`, for an answer that is read while it arrives. Only what precedes its first byte is repeated. */
export type StreamTransport = (operation: Operation, call?: Call) => Promise<ReadableStream<Uint8Array>>

/** @param exchangeOnce `exchange` for a `Transport`, `exchangeStream` for a `StreamTransport` */
export function createTransport<Result>(
  options: TransportOptions,
  exchangeOnce: (exchange: Exchange) => Promise<Result>,
): (operation: Operation, call?: Call) => Promise<Result> {
  const { clock, tokens } = options
  return async (operation, call = {}) => {
    const extraMs = operation.extraTimeoutMs ?? 0
    const deadlineAtMs = clock.now() + (call.deadlineMs ?? options.deadlineMs + extraMs)
    const url = urlOf(options.baseUrl, operation, call)
    const body = call.body === undefined ? undefined : JSON.stringify(call.body)
    let maybeReceived = false
    let isTokenRenewed = false
    for (let retry = 0; ; retry++) {
      const token = await tokens.current()
      const nowMs = clock.now()
      const timeoutMs = Math.min(options.timeoutMs + extraMs, deadlineAtMs - nowMs)
      const init = requestOf(operation, body, token, options.userAgent)
      let failure: Failure
      try {
        return await exchangeOnce({ fetch: options.fetch, url, init, timeoutMs, nowMs })
      } catch (error) {
        if (!isFailure(error)) throw error
        failure = error
      }
      if (isExpired(failure) && !isTokenRenewed) {
        isTokenRenewed = true
        tokens.discard(token)
        retry -= 1
        continue
      }
      maybeReceived ||= !(failure instanceof ApiError) && failure.outcomeUnknown
      const delayMs = retry < options.maxRetries ? retryDelayMs(failure, operation.repeatable, retry, clock.random()) : undefined
      if (delayMs === undefined || clock.now() + delayMs >= deadlineAtMs) throw withOutcome(failure, maybeReceived)
      await clock.sleep(delayMs)
    }
  }
}

/** A failed try that may be repeated. */
type Failure = ApiError | ConnectionError | TimeoutError

const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 4000

/**
 * How long to wait before the next try, in milliseconds; `undefined` when there is none. Repeatable operations are retried after
 * connection errors, 429 and 5xx, others only after 429, which says that nothing happened.
 *
 * @param retry the number of retries so far
 * @param random from 0 to just below 1: spreads the retries of many clients
 */
function retryDelayMs(failure: Failure, isRepeatable: boolean, retry: number, random: number): number | undefined {
  if (!mayRetry(failure, isRepeatable)) return undefined
  const longestMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** retry)
  const backOffMs = longestMs * (0.5 + random / 2)
  return Math.max(backOffMs, failure instanceof ApiError ? (failure.retryAfterMs ?? 0) : 0)
}

function mayRetry(failure: Failure, isRepeatable: boolean): boolean {
  if (!(failure instanceof ApiError)) return isRepeatable
  return failure.status === 429 || (isRepeatable && failure.status >= 500)
}

function urlOf(baseUrl: string, { path }: Operation, { id = '', query = {} }: Call): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString()
  return `${baseUrl}${path.replace('{id}', encodeURIComponent(id))}${search === '' ? '' : `?${search}`}`
}

function requestOf({ method }: Operation, body: string | undefined, token: string, userAgent: string): RequestInit {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json', 'user-agent': userAgent }
  if (body === undefined) return { method, headers }
  return { method, headers: { ...headers, 'content-type': 'application/json' }, body }
}

function isFailure(error: unknown): error is Failure {
  return error instanceof ApiError || error instanceof ConnectionError || error instanceof TimeoutError
}

function isExpired(failure: Failure): boolean {
  return failure instanceof ApiError && failure.status === 401 && failure.code === 'token_expired'
}

/** The last try may not have been sent, but an earlier one may have been received. */
function withOutcome(failure: Failure, maybeReceived: boolean): Failure {
  if (!(failure instanceof ConnectionError) || failure.outcomeUnknown || !maybeReceived) return failure
  return new ConnectionError(failure.message, { outcomeUnknown: true, cause: failure.cause })
}
