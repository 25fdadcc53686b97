import { performance } from 'node:perf_hooks'
import { createSecureContext, getCACertificates } from 'node:tls'
import { Agent, type Dispatcher } from 'undici'
import type { AttemptResult } from '../../domain/delivery.ts'
import { readRetryAfterMs } from '../../domain/retry-after.ts'
import { refusalOf, type EndpointRules } from './address-guard.ts'
import { failedAddressOf, onAddressUsed } from './address-used.ts'
import { attemptErrorOf } from './attempt-error.ts'
import { excerptOf } from './excerpt.ts'
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
    const result = (statusCode: number | null, error: AttemptResult['error'], answer: Buffer): AttemptResult => ({
      at,
      durationMs: Math.round(performance.now() - startedAt),
      statusCode,
      error,
      address,
      responseExcerpt: excerptOf(answer),
      retryAfterMs,
    })
    const chunks: Buffer[] = []
    let statusCode: number | null = null
    let retryAfterMs: number | undefined
    let address: string | null = null
    const bytes = Buffer.from(body)
    onAddressUsed(bytes, (used) => (address = used))
    const limit = new AbortController()
    // Cleared at the end: `AbortSignal.timeout` would stay in memory for ten seconds, at full load for 20,000 webhooks.
    const timer = setTimeout(() => limit.abort(), timeoutMs)
    try {
      // The lookup checks only resolved names. This check covers hosts that are addresses, plain HTTP and ports.
      const refusal = refusalOf(url, rules)
      if (refusal !== undefined) throw new AddressRefused(refusal.kind)
      const { origin, pathname, search } = new URL(url)
      const response = await agent.request({
        origin,
        path: pathname + search,
        method: 'POST',
        headers,
        body: bytes,
        signal: limit.signal,
      })
      statusCode = response.statusCode
      retryAfterMs = retryAfterOf(response.headers, now())
      await readInto(chunks, response.body)
      return result(statusCode, null, Buffer.concat(chunks))
    } catch (error) {
      address ??= failedAddressOf(error)
      return result(statusCode, attemptErrorOf(error), Buffer.concat(chunks))
    } finally {
      clearTimeout(timer)
    }
  }
  return { send, close: () => agent.destroy() }
}

/** Several `Retry-After` headers contradict each other and are ignored. */
function retryAfterOf({ 'retry-after': value }: Dispatcher.ResponseData['headers'], now: Date): number | undefined {
  return typeof value === 'string' ? readRetryAfterMs(value, now) : undefined
}

/** Reads up to the limit. A longer body is cut and its connection closed. */
async function readInto(chunks: Buffer[], body: Dispatcher.ResponseData['body']): Promise<void> {
  let length = 0
  for await (const chunk of body) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk))
    chunks.push(bytes.subarray(0, MAX_BODY_BYTES - length))
    length += bytes.length
    if (length >= MAX_BODY_BYTES) break
  }
}
