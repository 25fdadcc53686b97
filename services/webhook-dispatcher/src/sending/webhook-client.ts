import type { IncomingHttpHeaders } from 'node:http'
import { performance } from 'node:perf_hooks'
import { createSecureContext, getCACertificates } from 'node:tls'
import { Agent } from 'undici'
import { currentCorrelation } from '@gateway/service-kit'
import { exchange, type Exchange } from '@gateway/service-kit/http-client'
import { beginSpan, SpanKind } from '@gateway/service-kit/tracing'
import type { AttemptResult } from './result.ts'
import { excerptOf, readRetryAfterMs } from './answer.ts'
import { refusalOf, type EndpointRules } from './address-guard.ts'
import { onAddressUsed } from './address-used.ts'
import { attemptErrorOf, failedAddressOf } from './attempt-error.ts'
import { AddressRefused, guardedLookup, makeResolvePublic, type Resolve } from './guarded-lookup.ts'

export interface WebhookRequest {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string
}

/** Sends one POST and returns its result. Never rejects: a failure is a result too. */
export type SendWebhook = (request: WebhookRequest) => Promise<AttemptResult>

export interface WebhookClientOptions {
  /** Deadline of the whole exchange: name lookup, connection, TLS, headers and body. */
  readonly timeoutMs: number
  readonly rules: EndpointRules
  /** PEM of certificate authorities trusted in addition to the system's. */
  readonly extraCa: readonly string[]
  readonly resolve: Resolve
  readonly now: () => Date
}

export interface WebhookClient {
  readonly send: SendWebhook
  close(): Promise<void>
}

/** The client reads no more of a response body than this. */
const MAX_BODY_BYTES = 16 * 1024
const MAX_HEADER_BYTES = 16 * 1024

/**
 * The HTTPS client for merchants' servers, on kept-alive connections: no redirects, no proxy, certificates verified, public
 * addresses only (design, section 6). ADR 0003 says why it is undici.
 */
export function createWebhookClient(options: WebhookClientOptions): WebhookClient {
  const { timeoutMs, rules, extraCa, resolve, now } = options
  const agent = new Agent({
    connect: {
      timeout: timeoutMs,
      lookup: guardedLookup(makeResolvePublic(resolve, rules.allowedHosts)),
      rejectUnauthorized: true,
      // Created once: reading all authorities for each connection would cost more than the connection.
      secureContext: createSecureContext({ minVersion: 'TLSv1.2', ca: [...getCACertificates('default'), ...extraCa] }),
    },
    allowH2: false,
    pipelining: 1,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Connections are renewed, so that a changed address of the name is looked up and checked.
    maxRequestsPerClient: 1000,
  })

  const send: SendWebhook = async ({ url, headers, body }) => {
    const at = now()
    const startedAt = performance.now()
    const bytes = Buffer.from(body)
    const used: { address: string | null } = { address: null }
    onAddressUsed(bytes, (address) => (used.address = address))
    // The lookup checks only resolved names. This check covers hosts that are addresses, plain HTTP and ports.
    const refusal = refusalOf(url, rules)
    const answer = refusal === undefined ? await post(url, headers, bytes) : notSent(new AddressRefused(refusal.kind))
    return {
      at,
      duration_ms: Math.round(performance.now() - startedAt),
      status_code: answer.statusCode,
      error: answer.error === undefined ? null : attemptErrorOf(answer.error),
      address: used.address ?? failedAddressOf(answer.error),
      response_excerpt: excerptOf(answer.body),
      retry_after_ms: retryAfterOf(answer.headers, now()),
    }
  }

  const post = (url: string, headers: Record<string, string>, body: Buffer): Promise<Exchange> => {
    const { origin, pathname, search } = new URL(url)
    const request = { origin, path: pathname + search, method: 'POST', headers, body }
    return exchange(agent, request, { timeoutMs, maxBodyBytes: MAX_BODY_BYTES })
  }
  return { send, close: () => agent.destroy() }
}

function notSent(error: AddressRefused): Exchange {
  return { statusCode: null, headers: {}, body: Buffer.alloc(0), error }
}

/** Several `Retry-After` headers contradict each other and are ignored. */
function retryAfterOf({ 'retry-after': value }: IncomingHttpHeaders, now: Date): number | undefined {
  return typeof value === 'string' ? readRetryAfterMs(value, now) : undefined
}

/** Each POST as a span, without its address and answer. No trace header is sent to the merchant. */
export function tracedSend(send: SendWebhook): SendWebhook {
  return async (request) => {
    const span = beginSpan('POST webhook', { kind: SpanKind.CLIENT, parent: currentCorrelation().trace })
    const result = await send(request)
    span?.end({
      attributes: {
        'http.request.method': 'POST',
        'http.response.status_code': result.status_code ?? undefined,
        'error.type': result.error ?? undefined,
      },
      failed: result.status_code !== 200,
    })
    return result
  }
}
