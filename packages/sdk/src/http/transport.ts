import type { Clock } from '../clock.ts'
import { ApiError, ConnectionError, TimeoutError } from '../errors.ts'
import { exchange, exchangeStream, type Answer, type Exchange } from './exchange.ts'
import type { Operation } from './operation.ts'
import { retryDelayMs, type Failure } from './retries.ts'
import type { TokenSource } from './token.ts'

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

export function createTransport(options: TransportOptions): Transport {
  return transportBy(options, exchange)
}

export function createStreamTransport(options: TransportOptions): StreamTransport {
  return transportBy(options, exchangeStream)
}

function transportBy<Result>(
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
