import type { Readable } from 'node:stream'
import { Pool, type Dispatcher } from 'undici'
import { AppError, Unavailable } from '@gateway/contracts'
import { askPool, type WholeAnswer } from './ask-pool.ts'

/** One service behind the gateway, over kept-alive connections. undici, not axios: docs/adr/0002. */
export interface Upstream {
  readonly name: string
  /** The answer as soon as its headers are here. Throws `Unavailable`, or what reading the request's body threw. */
  request(request: UpstreamRequest): Promise<Dispatcher.ResponseData>
  /** A small answer as a whole, at less cost: for the payment path. Throws as `request` does. */
  ask(request: UpstreamQuestion): Promise<WholeAnswer>
  /** True when the process answers; asked at most once a second. */
  isUp(): Promise<boolean>
  close(): Promise<void>
}

export interface UpstreamRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Bytes can be sent again, a stream cannot. */
  readonly body: Buffer | Readable | null
  /** The effect of sending it twice is that of once. */
  readonly repeatable: boolean
  readonly signal: AbortSignal
  /** Until the answer begins. */
  readonly timeoutMs?: number
  /** Between two pieces of the answer; 0 is for ever, for event streams. */
  readonly bodyTimeoutMs?: number
}

/** A call that goes on when its caller goes away: what it asked for is done all the same. */
export type UpstreamQuestion = Pick<UpstreamRequest, 'path' | 'headers'> & { readonly method: 'POST'; readonly body: Buffer }

export interface UpstreamOptions {
  readonly name: string
  readonly url: string
  readonly timeoutMs: number
  readonly connections: number
}

const CONNECT_TIMEOUT_MS = 2000
const HEALTH_TIMEOUT_MS = 1500
const HEALTH_KEPT_MS = 1000

export function createUpstream({ name, url, timeoutMs, connections }: UpstreamOptions): Upstream {
  const { origin, pathname } = new URL(url)
  const prefix = pathname.replace(/\/$/u, '')
  const pool = new Pool(origin, { connections, pipelining: 1, connect: { timeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs) } })

  function send(request: UpstreamRequest): Promise<Dispatcher.ResponseData> {
    const {
      method,
      path,
      headers,
      body,
      signal,
      timeoutMs: headersTimeout = timeoutMs,
      bodyTimeoutMs: bodyTimeout = timeoutMs,
    } = request
    return pool.request({ method, path: prefix + path, headers, body, signal, headersTimeout, bodyTimeout })
  }

  /** Once more when the service closed a kept-alive connection just as we used it. */
  async function sendSurely(request: UpstreamRequest): Promise<Dispatcher.ResponseData> {
    try {
      return await send(request)
    } catch (error) {
      const canSendAgain = request.repeatable && (request.body === null || Buffer.isBuffer(request.body))
      if (canSendAgain && isClosedConnection(error) && !request.signal.aborted) return send(request)
      throw error
    }
  }

  let unanswered = 0

  /**
   * As many wait as are served: more would wait longer than their callers do. What waits is unanswered, so the pool, which goes
   * through all its connections to tell, is asked only when that many are.
   */
  async function unlessQueued<T>(send: () => Promise<T>): Promise<T> {
    if (unanswered >= connections && pool.stats.queued >= connections) {
      throw new Unavailable('upstream_unavailable', 'The service is busy; try again')
    }
    unanswered += 1
    try {
      return await send()
    } finally {
      unanswered -= 1
    }
  }

  return {
    name,
    async ask(question) {
      const options = { ...question, path: prefix + question.path, headersTimeout: timeoutMs, bodyTimeout: timeoutMs }
      try {
        // Once more when the service closed a kept-alive connection just as we used it: what is asked is repeatable.
        return await unlessQueued(() =>
          askPool(pool, options).catch((error: unknown) => {
            if (isClosedConnection(error)) return askPool(pool, options)
            throw error
          }),
        )
      } catch (error) {
        throw toAppError(error)
      }
    },
    async request(request) {
      try {
        return await unlessQueued(() => sendSurely(request))
      } catch (error) {
        throw request.signal.aborted ? error : toAppError(error)
      }
    },
    isUp: healthOf(send),
    close: () => pool.destroy(),
  }
}

/** Whether the service answers; asked again after a second. */
function healthOf(send: (request: UpstreamRequest) => Promise<Dispatcher.ResponseData>): () => Promise<boolean> {
  let health: { readonly up: Promise<boolean>; readonly atMs: number } | undefined

  async function ask(): Promise<boolean> {
    const signal = AbortSignal.timeout(HEALTH_TIMEOUT_MS)
    try {
      const { statusCode, body } = await send({
        method: 'GET',
        path: '/healthz',
        headers: {},
        body: null,
        repeatable: true,
        signal,
      })
      await body.dump()
      return statusCode === 200
    } catch {
      return false
    }
  }

  return () => {
    const nowMs = Date.now()
    if (!health || nowMs - health.atMs > HEALTH_KEPT_MS) health = { up: ask(), atMs: nowMs }
    return health.up
  }
}

const CLOSED = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])
const TIMED_OUT = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT'])

function isClosedConnection(error: unknown): boolean {
  return CLOSED.has(codeOf(error))
}

/** What the caller may know: whether it was not reached, did not answer in time, or broke off. */
function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (TIMED_OUT.has(codeOf(error))) {
    return new Unavailable('upstream_timeout', 'The service did not answer in time; try again', { cause: error })
  }
  if (isClosedConnection(error)) {
    return new Unavailable('upstream_failed', 'The service broke off its answer; try again', { cause: error })
  }
  return new Unavailable('upstream_unavailable', 'The service cannot be reached; try again', { cause: error })
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
