import { Router, type Request, type RequestHandler, type Response } from 'express'
import { Refused } from '@gateway/contracts'
import { noteCaller } from '@gateway/service-kit'
import { bearerToken, checkAddress, JSON_TYPE, readBody } from '@gateway/service-kit/http'
import { addressKey, addressPrefix, type ClientAddress, type RateLimiter } from '@gateway/service-kit/limits'
import type { Upstream } from '../clients/upstream-pool.ts'
import { audienceOf, type UpstreamName } from '../clients/upstreams.ts'
import { outcomeOf, type Rate } from '../use-cases/admit-strangers.ts'
import type { ExchangeTokens } from '../use-cases/exchange-tokens.ts'
import type { WhenRevoked } from '../use-cases/watch-revocations.ts'
import type { UpstreamShares } from '../use-cases/share-upstreams.ts'
import type { Method, Operation } from '../operations/operation.ts'
import { timeoutMsOf, type ApiRoutes } from '../operations/operations.ts'
import type { LimitPublic } from './app.ts'
import type { CallbackGate } from './callback-gate.ts'
import { forward, requestIdOf } from './forward.ts'
import { apiRequestHeaders, streamRequestHeaders } from './headers.ts'

export interface ApiRouterOptions {
  readonly routes: ApiRoutes
  readonly upstreams: Readonly<Partial<Record<UpstreamName, Upstream>>>
  readonly exchangeTokens: ExchangeTokens
  readonly whenRevoked: WhenRevoked
  readonly limits: Readonly<Record<Rate | 'anonymous', RateLimiter>>
  readonly clientAddress: ClientAddress
  readonly callbacks: CallbackGate
  readonly limitPublic: LimitPublic
  readonly takePlace: UpstreamShares
  readonly upstreamTimeoutMs: number
}

/** Express' way for `/api` and `/network`: checks the token, the rate limit and the body, then forwards the request. */
export function apiRouter(options: ApiRouterOptions): Router {
  const router = Router({ caseSensitive: true, strict: true })
  for (const [path, operations] of Object.entries(options.routes)) router.all(path, handlerOf(operations, options))
  return router
}

function handlerOf(operations: ApiRoutes[string], options: ApiRouterOptions): RequestHandler {
  const allow = Object.keys(operations).join(', ')
  return async (request, response) => {
    const operation = isMethod(request.method) ? operations[request.method] : undefined
    const isPlain = Object.values(request.params).every(isPlainId)
    const upstream = operation && isPlain ? options.upstreams[operation.to] : undefined
    if (operation && upstream) {
      await handle({ operation, upstream }, request, response, options)
      return
    }
    options.limitPublic(request)
    if (operation) throw new Refused('not_found', 'There is nothing at this address')
    response.setHeader('allow', allow)
    throw new Refused('method_not_allowed', `This path allows only ${allow}`)
  }
}

async function handle(
  { operation, upstream }: { operation: Operation; upstream: Upstream },
  request: Request,
  response: Response,
  options: ApiRouterOptions,
): Promise<void> {
  noteCaller({ addressPrefix: addressPrefix(options.clientAddress(request)) })
  const { headers: authorization, credentialId, payer } = await authorize(operation, request, options)
  const callback = operation.caller === 'network' ? options.callbacks.begin(request) : undefined
  try {
    checkAddress({ url: request.originalUrl })
    const sent = {
      method: request.method,
      path: request.originalUrl,
      headers: {
        ...apiRequestHeaders(request.headers, requestIdOf(response)),
        ...authorization,
        ...(operation.stream === true ? streamRequestHeaders(request.headers) : {}),
      },
      // The service parses the body; of a callback it takes any media type.
      body: (await readBody(request, { type: callback ? undefined : JSON_TYPE })) ?? null,
      repeatable: operation.repeatable,
      timeoutMs: timeoutMsOf(operation, options.upstreamTimeoutMs),
    }
    if (operation.stream === true && credentialId !== undefined) {
      // An answer without end: the headers are sent before the first byte of the body, and pauses do not end it.
      const stream = { upstream, request: { ...sent, bodyTimeoutMs: 0 }, response }
      await forward(stream, () => options.whenRevoked(credentialId, () => response.destroy()))
      return
    }
    const giveBack = payer === undefined ? undefined : await options.takePlace[operation.share ?? 'calls'](operation.to, payer)
    await forward({ upstream, request: sent, response }, (status) => {
      callback?.end(outcomeOf(status))
      return undefined
    }).finally(giveBack)
  } finally {
    callback?.end('undecided')
  }
}

interface Authorized {
  readonly headers: Record<string, string>
  readonly credentialId?: string
  /** The merchant or the address that this request counts for at the upstream. */
  readonly payer?: string
}

/** The internal token's header and the credential, when the operation needs a merchant. Throws the 401s and 429s of design, section 5. */
async function authorize({ caller, to, rate }: Operation, request: Request, options: ApiRouterOptions): Promise<Authorized> {
  const { limits, exchangeTokens, clientAddress } = options
  if (caller === 'network') return { headers: {} }
  const address = addressKey(clientAddress(request))
  if (caller === 'anyone') {
    limits.anonymous(address)
    return { headers: {}, payer: address }
  }
  const token = bearerToken(request.get('authorization'))
  if (token === undefined) {
    limits.anonymous(address)
    throw new Refused('token_missing', 'The authorization header has no bearer token')
  }
  const { internalToken, merchantId, credentialId } = await exchangeTokens(token, audienceOf(to), { address, rate })
  noteCaller({ credentialId })
  limits[rate](merchantId)
  return { headers: { authorization: `Bearer ${internalToken}` }, credentialId, payer: merchantId }
}

function isMethod(method: string): method is Method {
  return ['DELETE', 'GET', 'POST', 'PUT'].includes(method)
}

/** The gateway's ids contain no character that could change the path, such as `/` or a leading dot. */
function isPlainId(id: unknown): boolean {
  return typeof id === 'string' && /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/u.test(id)
}
