import { setTimeout as sleep } from 'node:timers/promises'
import { NETWORK_PATHS, startPaymentResponse, type StartPayment } from '@gateway/contracts'
import type { Environment, Log } from '@gateway/service-kit'
import { failureCode, type ServiceClient } from '@gateway/service-kit/http-client'
import { createNetworkClient, type NetworkAddress } from '@gateway/connector-client'

/**
 * Starts a committed attempt at the network connector (contracts, network.ts). The attempt's id is the idempotency key, so unclear
 * answers are retried until `budgetMs` milliseconds have passed. It never rejects, because an error could carry card data.
 */
export type StartAtNetwork = (request: StartPayment, budgetMs: number) => Promise<StartAnswer>

export type StartAnswer =
  /** `redirectUrl`: the page where the shopper confirms; `null` when none is needed. */
  | { readonly kind: 'started'; readonly redirectUrl: string | null }
  /** This attempt was already started with another card or bank. */
  | { readonly kind: 'conflict' }
  /** Refused for good, or no clear answer in time: payment-status finds the outcome by an enquiry. */
  | { readonly kind: 'refused' | 'unclear' }

type Try = StartAnswer | { readonly kind: 'retry'; readonly status?: number; readonly code?: string }

const MAX_TRIES = 4
const TRY_TIMEOUT_MS = 3000
const PAUSE_MS = 250
/** A longer address, once sealed, does not fit into a cookie. */
const MAX_REDIRECT_LENGTH = 2048

export function makeStartAtNetwork(
  address: NetworkAddress,
  { environment, log }: { environment: Environment; log: Log },
): StartAtNetwork {
  const client = createNetworkClient({ ...address, maxSockets: Infinity })
  return async (request, budgetMs) => {
    const endsAtMs = performance.now() + budgetMs
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      const leftMs = Math.ceil(endsAtMs - performance.now())
      if (leftMs <= 0) break
      const answer = await startOnce(client, request, { timeoutMs: Math.min(TRY_TIMEOUT_MS, leftMs), environment })
      if (answer.kind !== 'retry') {
        if (answer.kind === 'refused') log.warn('network refused attempt start', { attempt_id: request.attempt_id })
        return answer
      }
      const { status, code } = answer
      log.warn('attempt start got no clear answer', { attempt_id: request.attempt_id, tries, status, code })
      if (tries < MAX_TRIES) await sleep(Math.min(PAUSE_MS * tries, Math.max(endsAtMs - performance.now(), 0)))
    }
    return { kind: 'unclear' }
  }
}

/** One call. Its error never leaves this function, because the error holds the request with the card. */
async function startOnce(
  client: ServiceClient,
  request: StartPayment,
  { timeoutMs, environment }: { timeoutMs: number; environment: Environment },
): Promise<Try> {
  try {
    const { status, data } = await client.post(NETWORK_PATHS.payments, request, {
      headers: { 'idempotency-key': request.attempt_id },
      timeoutMs,
    })
    if (status === 409) return { kind: 'conflict' }
    if (status >= 400 && status < 500 && ![408, 425, 429].includes(status)) return { kind: 'refused' }
    const isStarted = (status === 200 || status === 201) && startPaymentResponse(data)
    if (!isStarted) return { kind: 'retry', status }
    const { redirect_url: redirectUrl } = data
    return redirectUrl === null || isBankAddress(redirectUrl, environment)
      ? { kind: 'started', redirectUrl }
      : { kind: 'retry', status }
  } catch (error) {
    return { kind: 'retry', code: failureCode(error) }
  }
}

/** The shopper's browser is sent to this address: it must be a web address, and use TLS in production. */
function isBankAddress(url: string, environment: Environment): boolean {
  const schemes = environment === 'production' ? ['https:'] : ['https:', 'http:']
  return url.length <= MAX_REDIRECT_LENGTH && URL.canParse(url) && schemes.includes(new URL(url).protocol)
}
