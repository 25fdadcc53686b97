import { Pool, type Dispatcher } from 'undici'
import { Unavailable } from '@gateway/contracts'
import { exchange } from '@gateway/service-kit/http-client'
import { isClosedConnection, toAppError } from './upstream-errors.ts'
import { cachedHealth } from './upstream-health.ts'
import type { BufferedAnswer, Upstream, UpstreamRequest } from './upstream.ts'

export interface UpstreamOptions {
  readonly name: string
  readonly url: string
  readonly timeoutMs: number
  /** How many requests may be in flight; as many again may wait in the queue. */
  readonly connections: number
}

const CONNECT_TIMEOUT_MS = 2000

/** Opens the connection pool of one upstream. */
export function createUpstreamPool({ name, url, timeoutMs, connections }: UpstreamOptions): Upstream {
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
    async request(request) {
      const mayRetry = () => request.repeatable && !request.signal.aborted
      try {
        return await unlessQueueIsFull(() => retryClosedConnection(() => send(request), mayRetry))
      } catch (error) {
        throw request.signal.aborted ? error : toAppError(error)
      }
    },
    async requestBuffered(request) {
      const { method, path, headers, body, timeoutMs: headersTimeout = timeoutMs } = request
      const options = { method, path: prefix + path, headers, body, headersTimeout, bodyTimeout: timeoutMs }
      try {
        return await unlessQueueIsFull(() => retryClosedConnection(() => sendBuffered(options)))
      } catch (error) {
        throw toAppError(error)
      }
    },
    isUp: cachedHealth(send),
    close: () => pool.destroy(),
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
