/**
 * Only undici's agent: its index also loads fetch, WebSocket, caches and mocks, 13 MiB of memory (docs/adr/0002). These paths
 * are not public: a test checks that they export the same as the index.
 */
import { createRequire } from 'node:module'
import type { Agent as AgentClass, Dispatcher } from 'undici'

const load = createRequire(import.meta.url)

export const Agent = load('undici/lib/dispatcher/agent.js') as typeof AgentClass

/** `agent.request`, which only the index adds to the agent. */
export const request = load('undici/lib/api/api-request.js') as (
  this: Dispatcher,
  options: Dispatcher.RequestOptions,
) => Promise<Dispatcher.ResponseData>
