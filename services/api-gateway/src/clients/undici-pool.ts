/**
 * undici's pool alone. Its index loads fetch, WebSocket, caches and mocks as well, 13 MiB of the process (docs/adr/0002). These
 * paths are none of its public interface: a test holds that they lead to the same.
 */
import { createRequire } from 'node:module'
import type { Pool as PoolClass, Dispatcher } from 'undici'

const load = createRequire(import.meta.url)

export const Pool = load('undici/lib/dispatcher/pool.js') as typeof PoolClass

/** `pool.request`, which only the index adds to it. */
export const request = load('undici/lib/api/api-request.js') as (
  this: Dispatcher,
  options: Dispatcher.RequestOptions,
) => Promise<Dispatcher.ResponseData>
