import {
  compile,
  Fault,
  Refused,
  Unavailable,
  type ExchangedToken,
  type ExchangedTokens,
  type MerchantService,
  type Revocations,
} from '@gateway/contracts'
import { ADDRESS_PREFIX_HEADER, currentCorrelation } from '@gateway/service-kit'
import { correlationHeaders } from '@gateway/service-kit/http'
import type { Upstream } from './upstream.ts'

/** The gateway's calls to auth-token. The shapes of the answers are in contracts' `internal.ts`. */
export interface AuthTokenClient {
  /** Exchanges a merchant's token for an internal one of each service. Throws `token_invalid`, `token_expired` or `Unavailable`. */
  exchange(token: string, services: readonly MerchantService[]): Promise<ExchangedTokens>
  /** Lists the credentials revoked at `since` (ISO 8601) or later; without it, in the last hour. Throws `Unavailable`. */
  revocations(since: string | undefined): Promise<Revocations>
}

const EXCHANGE_TIMEOUT_MS = 3000
/** Short enough that two polls may time out before the last successful one is too old (`FRESH_MS`). */
const POLL_TIMEOUT_MS = 500

const text = { type: 'string' } as const
const facts = {
  expires_at: { type: 'string', format: 'date-time' },
  merchant_id: text,
  credential_id: text,
} as const
const isExchanged = compile({
  type: 'object',
  required: ['internal_tokens', 'expires_at', 'merchant_id', 'credential_id'],
  properties: { internal_tokens: { type: 'object', additionalProperties: text }, ...facts },
})
/** The answer of an auth-token of an older release: one token for all services. */
const isExchangedForAll = compile({
  type: 'object',
  required: ['internal_token', 'expires_at', 'merchant_id', 'credential_id'],
  properties: { internal_token: text, ...facts },
})
const isRevocations = compile({
  type: 'object',
  required: ['as_of', 'credential_ids'],
  properties: { as_of: { type: 'string', format: 'date-time' }, credential_ids: { type: 'array', items: text } },
})
const isRefusal = compile({
  type: 'object',
  required: ['code', 'detail'],
  properties: { code: { enum: ['token_invalid', 'token_expired'] }, detail: text },
})

interface Call {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly payload?: object
  readonly timeoutMs: number
}

/** `polls` is used for the revocation list only, so that a flood of exchanges does not delay it. */
export function createAuthTokenClient(exchanges: Upstream, polls: Upstream, serviceToken: string): AuthTokenClient {
  const headers = { authorization: `Bearer ${serviceToken}`, 'content-type': 'application/json' }

  async function call(upstream: Upstream, { method, path, payload, timeoutMs }: Call) {
    const signal = AbortSignal.timeout(timeoutMs)
    const body = payload === undefined ? null : Buffer.from(JSON.stringify(payload))
    try {
      const answer = await upstream.request({
        method,
        path,
        headers: { ...headers, ...correlationHeaders(), ...clientHeaders() },
        body,
        repeatable: true,
        signal,
      })
      return { status: answer.statusCode, body: await answer.body.json() }
    } catch (error) {
      throw unavailable(error)
    }
  }

  return {
    async exchange(token, services) {
      const { status, body } = await call(exchanges, {
        method: 'POST',
        path: `/internal/v1/tokens/exchange?audience=${services.join(',')}`,
        payload: { token },
        timeoutMs: EXCHANGE_TIMEOUT_MS,
      })
      if (status === 200 && isExchanged(body)) return body
      if (status === 200 && isExchangedForAll(body)) return forEach(services, body)
      if (status === 401 && isRefusal(body)) throw new Refused(body.code, body.detail)
      throw unavailable(new Fault(`token exchange answered ${status}`))
    },
    async revocations(since) {
      const query = since === undefined ? '' : `?since=${encodeURIComponent(since)}`
      const { status, body } = await call(polls, {
        method: 'GET',
        path: `/internal/v1/revocations${query}`,
        timeoutMs: POLL_TIMEOUT_MS,
      })
      if (status === 200 && isRevocations(body)) return body
      throw unavailable(new Fault(`revocation list answered ${status}`))
    },
  }
}

function forEach(services: readonly MerchantService[], { internal_token: token, ...others }: ExchangedToken): ExchangedTokens {
  return { ...others, internal_tokens: Object.fromEntries(services.map((service) => [service, token])) }
}

/** auth-token counts failed authentications by the client's network. */
function clientHeaders(): Record<string, string> {
  const { addressPrefix } = currentCorrelation().caller ?? {}
  return addressPrefix === undefined ? {} : { [ADDRESS_PREFIX_HEADER]: addressPrefix }
}

function unavailable(cause: unknown): Unavailable {
  return new Unavailable('upstream_unavailable', 'Tokens cannot be verified at the moment; try again', { cause })
}
