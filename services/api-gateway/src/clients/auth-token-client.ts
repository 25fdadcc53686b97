import {
  compile,
  exchangedTokensSchema,
  Fault,
  Refused,
  revocationsSchema,
  Unavailable,
  type ExchangedTokens,
  type MerchantService,
  type Revocations,
} from '@gateway/contracts'
import { ADDRESS_PREFIX_HEADER, currentCorrelation } from '@gateway/service-kit'
import { correlationHeaders } from '@gateway/service-kit/http'
import type { Upstream } from './upstream-pool.ts'

const EXCHANGE_TIMEOUT_MS = 3000
/** Short enough that two polls may time out before the last successful one is too old (`FRESH_MS`). */
const POLL_TIMEOUT_MS = 500

const isExchanged = compile(exchangedTokensSchema)
const isRevocations = compile(revocationsSchema)
const isRefusal = compile({
  type: 'object',
  required: ['code', 'detail'],
  properties: { code: { enum: ['token_invalid', 'token_expired'] }, detail: { type: 'string' } },
})

interface Call {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly payload?: object
  readonly timeoutMs: number
}

/**
 * The gateway's calls to auth-token; contracts' `internal.ts` has the shapes of the answers. `polls` is used for the revocation list
 * only, so that a flood of exchanges does not delay it.
 */
export function createAuthTokenClient(exchanges: Upstream, polls: Upstream, serviceToken: string) {
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
    /** Exchanges a merchant's token for an internal one of each service. Throws `token_invalid`, `token_expired` or `Unavailable`. */
    exchange: async (token: string, services: readonly MerchantService[]): Promise<ExchangedTokens> => {
      const { status, body } = await call(exchanges, {
        method: 'POST',
        path: `/internal/v1/tokens/exchange?audience=${services.join(',')}`,
        payload: { token },
        timeoutMs: EXCHANGE_TIMEOUT_MS,
      })
      if (status === 200 && isExchanged(body)) return body
      if (status === 401 && isRefusal(body)) throw new Refused(body.code, body.detail)
      throw unavailable(new Fault(`token exchange answered ${status}`))
    },
    /** Lists the credentials revoked at `since` (ISO 8601) or later; without it, in the last hour. Throws `Unavailable`. */
    revocations: async (since: string | undefined): Promise<Revocations> => {
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

/** auth-token counts failed authentications by the client's network. */
function clientHeaders(): Record<string, string> {
  const { addressPrefix } = currentCorrelation().caller ?? {}
  return addressPrefix === undefined ? {} : { [ADDRESS_PREFIX_HEADER]: addressPrefix }
}

function unavailable(cause: unknown): Unavailable {
  return new Unavailable('upstream_unavailable', 'Tokens cannot be verified at the moment; try again', { cause })
}
