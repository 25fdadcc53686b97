import type { IncomingHttpHeaders } from 'node:http'
import { Pool, type Dispatcher } from 'undici'
import { AppError, Unavailable } from '@gateway/contracts'
import { exchange } from '@gateway/service-kit/http-client'

/** One service that the gateway forwards to, over kept-alive connections. Why undici and not axios: docs/adr/0018. */
export type Upstream = ReturnType<typeof createUpstreamPool>

/** A service's answer with its whole body in memory. */
export interface BufferedAnswer {
  readonly statusCode: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface UpstreamRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | null
  /** Sending the request twice has the same effect as sending it once. */
  readonly repeatable: boolean
  readonly signal: AbortSignal
  /** How long the upstream may take until its answer begins. */
  readonly timeoutMs?: number
  /** The longest pause between two pieces of the answer; 0 is no limit, for event streams. */
  readonly bodyTimeoutMs?: number
}

/** A repeatable call that is not cancelled when the gateway's caller disconnects. */
export type BufferedRequest = Pick<UpstreamRequest, 'path' | 'headers' | 'timeoutMs'> & {
  readonly method: 'POST'
  readonly body: Buffer
}

export interface UpstreamOptions {
  readonly name: string
  readonly url: string
  readonly timeoutMs: number
  /** How many requests may be in flight; as many again may wait in the queue. */
  readonly connections: number
}

const CONNECT_TIMEOUT_MS = 2000

/** Opens the connection pool of one upstream. */
export function createUpstreamPool({ name, url, timeoutMs, connections }: UpstreamOptions) {
  const { origin, pathname } = new URL(url)
  const prefix = pathname.replace(/\/$/u, '')
  const pool = new Pool(origin, { connections, pipelining: 1, connect: { timeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs) } })
  const unlessQueueIsFull = queueGuard(pool, connections)

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

  /** The pool's own timeouts end it. */
  async function sendBuffered(options: Dispatcher.DispatchOptions): Promise<BufferedAnswer> {
    const { statusCode, headers, body, error } = await exchange(pool, options)
    if (error) throw error
    return { statusCode: statusCode ?? 0, headers, body }
  }

  return {
    name,
    /** Resolves when the answer's headers are here; the body is a stream. Throws `Unavailable`. */
    async request(request: UpstreamRequest): Promise<Dispatcher.ResponseData> {
      const mayRetry = () => request.repeatable && !request.signal.aborted
      try {
        return await unlessQueueIsFull(() => retryClosedConnection(() => send(request), mayRetry))
      } catch (error) {
        throw request.signal.aborted ? error : toAppError(error)
      }
    },
    /** Resolves with the whole answer in memory. Cheaper than `request` for small answers; throws the same errors. */
    async requestBuffered(request: BufferedRequest): Promise<BufferedAnswer> {
      const { method, path, headers, body, timeoutMs: headersTimeout = timeoutMs } = request
      const options = { method, path: prefix + path, headers, body, headersTimeout, bodyTimeout: timeoutMs }
      try {
        return await unlessQueueIsFull(() => retryClosedConnection(() => sendBuffered(options)))
      } catch (error) {
        throw toAppError(error)
      }
    },
    isUp: cachedHealth(send),
    close: (): Promise<void> => pool.destroy(),
  }
}

/** Sends a second time when the upstream closed a kept-alive connection at the moment that the pool used it. */
async function retryClosedConnection<T>(send: () => Promise<T>, mayRetry = () => true): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (isClosedConnection(error) && mayRetry()) return send()
    throw error
  }
}

/**
 * Queues at most `connections` requests and refuses the rest: they would wait longer than their callers do.
 * `pool.stats` walks through all connections, so it is read only when enough requests are in flight.
 */
function queueGuard(pool: InstanceType<typeof Pool>, connections: number): <T>(send: () => Promise<T>) => Promise<T> {
  let inFlight = 0
  return async (send) => {
    if (inFlight >= connections && pool.stats.queued >= connections) {
      throw new Unavailable('upstream_unavailable', 'The service is busy; try again')
    }
    inFlight += 1
    try {
      return await send()
    } finally {
      inFlight -= 1
    }
  }
}

type Send = (request: UpstreamRequest) => Promise<Dispatcher.ResponseData>
const HEALTH_TIMEOUT_MS = 1500
const HEALTH_CACHED_MS = 1000

/** Returns a function that calls `GET /healthz` and is true for a 200. Its result is cached for one second. */
function cachedHealth(send: Send): () => Promise<boolean> {
  let cached: { readonly isUp: Promise<boolean>; readonly atMs: number } | undefined
  return () => {
    const nowMs = Date.now()
    if (!cached || nowMs - cached.atMs > HEALTH_CACHED_MS) cached = { isUp: isHealthy(send), atMs: nowMs }
    return cached.isUp
  }
}

async function isHealthy(send: Send): Promise<boolean> {
  const signal = AbortSignal.timeout(HEALTH_TIMEOUT_MS)
  try {
    const request = { method: 'GET', path: '/healthz', headers: {}, body: null, repeatable: true, signal }
    const { statusCode, body } = await send(request)
    await body.dump()
    return statusCode === 200
  } catch {
    return false
  }
}

const CLOSED = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])
const TIMED_OUT = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT'])

/** True when the connection was closed before the answer was complete. */
function isClosedConnection(error: unknown): boolean {
  return CLOSED.has(codeOf(error))
}

/** What the caller learns of a failed call: the upstream was unreachable, too slow, or closed the connection. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (TIMED_OUT.has(codeOf(error))) {
    return new Unavailable('upstream_timeout', 'The service did not answer in time; try again', { cause: error })
  }
  if (isClosedConnection(error)) {
    return new Unavailable('upstream_failed', 'The service closed the connection before its answer was complete; try again', {
      cause: error,
    })
  }
  return new Unavailable('upstream_unavailable', 'The service cannot be reached; try again', { cause: error })
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
