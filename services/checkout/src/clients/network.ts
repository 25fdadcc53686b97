import { setTimeout as sleep } from 'node:timers/promises'
import { NETWORK_PATHS, startPaymentResponse, type StartPayment } from '@gateway/contracts'
import type { Environment, Log } from '@gateway/service-kit'
import { createServiceClient, failureCode, type ServiceClient } from '@gateway/service-kit/http-client'

/** The network as the page needs it (contracts, network.ts). It never rejects: an error could carry the card. */
export interface Network {
  /** Starts a committed attempt; the attempt's id is the idempotency key, so that asking again is safe. */
  start(request: StartPayment, budgetMs: number): Promise<StartAnswer>
}

export type StartAnswer =
  /** `redirectUrl`: where the shopper confirms, if anywhere. */
  | { readonly kind: 'started'; readonly redirectUrl: string | null }
  /** This attempt was started with another card or bank. */
  | { readonly kind: 'conflict' }
  /** Refused for good, or no clear answer in time: the enquiry of payment-status finds out. */
  | { readonly kind: 'refused' | 'unclear' }

type Try = StartAnswer | { readonly kind: 'again'; readonly status?: number; readonly code?: string }

const MAX_TRIES = 4
const TRY_TIMEOUT_MS = 3000
const PAUSE_MS = 250
const MAX_ANSWER_BYTES = 64 * 1024
/** Longer ones do not fit, sealed, into a cookie. */
const MAX_REDIRECT_LENGTH = 2048

export function createNetworkClient(options: { url: string; apiKey: string; environment: Environment; log: Log }): Network {
  const { environment, log } = options
  const client = createServiceClient({
    baseUrl: options.url,
    bearer: options.apiKey,
    timeoutMs: TRY_TIMEOUT_MS,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    unavailable: { code: 'network_unavailable', detail: 'The network cannot be reached; try again' },
  })
  return {
    async start(request, budgetMs) {
      const endsAtMs = performance.now() + budgetMs
      for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
        const leftMs = Math.ceil(endsAtMs - performance.now())
        if (leftMs <= 0) break
        const answer = await startOnce(client, request, { timeoutMs: Math.min(TRY_TIMEOUT_MS, leftMs), environment })
        if (answer.kind !== 'again') {
          if (answer.kind === 'refused') log.warn('the network refused to start an attempt', { attempt_id: request.attempt_id })
          return answer
        }
        const { status, code } = answer
        log.warn('the network gave no clear answer to a start', { attempt_id: request.attempt_id, tries, status, code })
        if (tries < MAX_TRIES) await sleep(Math.min(PAUSE_MS * tries, Math.max(endsAtMs - performance.now(), 0)))
      }
      return { kind: 'unclear' }
    },
  }
}

/** One call. Whatever it fails with stays in here, for its error holds the request. */
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
    if (!isStarted) return { kind: 'again', status }
    const { redirect_url: redirectUrl } = data
    return redirectUrl === null || isBankAddress(redirectUrl, environment)
      ? { kind: 'started', redirectUrl }
      : { kind: 'again', status }
  } catch (error) {
    return { kind: 'again', code: failureCode(error) }
  }
}

/** The shopper's browser is sent there: a place on the web and nothing else, over TLS where money is real. */
function isBankAddress(url: string, environment: Environment): boolean {
  const schemes = environment === 'production' ? ['https:'] : ['https:', 'http:']
  return url.length <= MAX_REDIRECT_LENGTH && URL.canParse(url) && schemes.includes(new URL(url).protocol)
}
