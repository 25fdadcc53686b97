import type { Dispatcher } from 'undici'
import type { UpstreamRequest } from './upstream.ts'

const HEALTH_TIMEOUT_MS = 1500
const HEALTH_CACHED_MS = 1000

/** Returns a function that calls `GET /healthz` and is true for a 200. Its result is cached for one second. */
export function cachedHealth(send: (request: UpstreamRequest) => Promise<Dispatcher.ResponseData>): () => Promise<boolean> {
  let cached: { readonly isUp: Promise<boolean>; readonly atMs: number } | undefined
  return () => {
    const nowMs = Date.now()
    if (!cached || nowMs - cached.atMs > HEALTH_CACHED_MS) cached = { isUp: isHealthy(send), atMs: nowMs }
    return cached.isUp
  }
}

async function isHealthy(send: (request: UpstreamRequest) => Promise<Dispatcher.ResponseData>): Promise<boolean> {
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
