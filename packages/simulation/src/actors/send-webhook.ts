import type { SendWebhook } from '@gateway-services/webhook-dispatcher/sending/webhook-client'
import { theEngines } from '../hooks/engines.ts'
import { NoAnswer } from '../kernel/network.ts'

const TIMEOUT_MS = 3000

/** Sends a webhook over the simulated network, in place of the HTTPS client of the dispatcher. */
export const simulatedSend: SendWebhook = async ({ url, headers, body }) => {
  const { network, process, onWebhook } = theEngines()
  if (process.isAlive) onWebhook(process, headers['webhook-id'] ?? '', Number(headers['webhook-attempt']))
  const [at, startedMs] = [new Date(), performance.now()]
  const { hostname, pathname } = new URL(url)
  const request = { method: 'POST', host: hostname, port: 443, path: pathname, headers, body }
  const outcome = await network.request(process, request, TIMEOUT_MS).catch((error: unknown) => {
    const code = error instanceof NoAnswer ? error.code : ''
    return code === 'ETIMEDOUT' ? 'timeout' : code === 'ECONNREFUSED' ? 'connection_refused' : 'connection_failed'
  })
  const isAnswer = typeof outcome === 'object'
  return {
    at,
    durationMs: Math.round(performance.now() - startedMs),
    statusCode: isAnswer ? outcome.status : null,
    error: isAnswer ? null : outcome,
    address: null,
    responseExcerpt: null,
  }
}
