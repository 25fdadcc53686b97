import type { Readable } from 'node:stream'
import { Pool, type Dispatcher } from 'undici'
import { Unavailable } from '@gateway/contracts'
import { dispatchBuffered, type BufferedAnswer } from './buffered-dispatch.ts'
import { isClosedConnection, toAppError } from './upstream-errors.ts'
import { cachedHealth } from './upstream-health.ts'

/** One service that the gateway forwards to, over kept-alive connections. Why undici and not axios: docs/adr/0002. */
export interface Upstream {
  readonly name: string
  /** Resolves when the answer's headers are here; the body is a stream. Throws `Unavailable`, or what reading the request's body threw. */
  request(request: UpstreamRequest): Promise<Dispatcher.ResponseData>
  /** Resolves with the whole answer in memory. Cheaper than `request` for small answers; throws the same errors. */
  requestBuffered(request: BufferedRequest): Promise<BufferedAnswer>
  /** True when `GET /healthz` answers 200; called at most once a second. */
  isUp(): Promise<boolean>
  close(): Promise<void>
}

export interface UpstreamRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** A buffer can be sent a second time, a stream cannot. */
  readonly body: Buffer | Readable | null
  /** Sending the request twice has the same effect as sending it once. */
  readonly repeatable: boolean
  readonly signal: AbortSignal
  /** How long the upstream may take until its answer begins. */
  readonly timeoutMs?: number
  /** The longest pause between two pieces of the answer; 0 is no limit, for event streams. */
  readonly bodyTimeoutMs?: number
}

/** A repeatable call that is not cancelled when the gateway's caller disconnects. */
export type BufferedRequest = Pick<UpstreamRequest, 'path' | 'headers'> & { readonly method: 'POST'; readonly body: Buffer }

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

  return {
    name,
    async request(request) {
      const canRetry = request.repeatable && (request.body === null || Buffer.isBuffer(request.body))
      const mayRetry = () => canRetry && !request.signal.aborted
      try {
        return await unlessQueueIsFull(() => retryClosedConnection(() => send(request), mayRetry))
      } catch (error) {
        throw request.signal.aborted ? error : toAppError(error)
      }
    },
    async requestBuffered(request) {
      const options = { ...request, path: prefix + request.path, headersTimeout: timeoutMs, bodyTimeout: timeoutMs }
      try {
        return await unlessQueueIsFull(() => retryClosedConnection(() => dispatchBuffered(pool, options)))
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
