import { compile, Refused, Unavailable, type ExchangedToken, type Revocations } from '@gateway/contracts'
import { correlationHeaders } from '@gateway/service-kit/http'
import type { Upstream } from './upstream.ts'

/** What the gateway asks of auth-token; shapes in contracts' `internal.ts`. */
export interface AuthTokenClient {
  /** Throws `token_invalid`, `token_expired`, or `Unavailable`. */
  exchange(token: string): Promise<ExchangedToken>
  revocations(since: string | undefined): Promise<Revocations>
}

const EXCHANGE_TIMEOUT_MS = 3000
/** Two failing polls fit into the time that the last good one counts. */
const POLL_TIMEOUT_MS = 500

const text = { type: 'string' } as const
const isExchanged = compile({
  type: 'object',
  required: ['internal_token', 'expires_at', 'merchant_id', 'credential_id'],
  properties: {
    internal_token: text,
    expires_at: { type: 'string', format: 'date-time' },
    merchant_id: text,
    credential_id: text,
  },
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

export function createAuthTokenClient(upstream: Upstream, internalApiToken: string): AuthTokenClient {
  const headers = { authorization: `Bearer ${internalApiToken}`, 'content-type': 'application/json' }

  async function call(method: string, path: string, sent: object | undefined, timeoutMs: number) {
    const signal = AbortSignal.timeout(timeoutMs)
    const body = sent === undefined ? null : Buffer.from(JSON.stringify(sent))
    try {
      const answer = await upstream.request({
        method,
        path,
        headers: { ...headers, ...correlationHeaders() },
        body,
        repeatable: true,
        signal,
      })
      return { status: answer.statusCode, body: await answer.body.json() }
    } catch (error) {
      throw away(error)
    }
  }

  return {
    async exchange(token) {
      const { status, body } = await call('POST', '/internal/v1/tokens/exchange', { token }, EXCHANGE_TIMEOUT_MS)
      if (status === 200 && isExchanged(body)) return body
      if (status === 401 && isRefusal(body)) throw new Refused(body.code, body.detail)
      throw away(new Error(`the exchange answered ${status}`))
    },
    async revocations(since) {
      const query = since === undefined ? '' : `?since=${encodeURIComponent(since)}`
      const { status, body } = await call('GET', `/internal/v1/revocations${query}`, undefined, POLL_TIMEOUT_MS)
      if (status === 200 && isRevocations(body)) return body
      throw away(new Error(`the revocations answered ${status}`))
    },
  }
}

function away(cause: unknown): Unavailable {
  return new Unavailable('upstream_unavailable', 'Tokens cannot be checked at the moment; try again', { cause })
}
