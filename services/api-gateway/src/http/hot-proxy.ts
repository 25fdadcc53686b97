import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { noteCaller } from '@gateway/service-kit'
import {
  bearerToken,
  BODY_LIMIT_BYTES,
  hasPlainJson,
  observeRequest,
  problemAnswer,
  readBytes,
  sendText,
  type Observer,
} from '@gateway/service-kit/http'
import { addressPrefix } from '@gateway/service-kit/limits'
import type { Upstream } from '../clients/upstream-pool.ts'
import { audienceOf } from '../clients/upstreams.ts'
import { outcomeOf } from '../use-cases/admit-strangers.ts'
import type { Caller } from '../use-cases/exchange-tokens.ts'
import type { ApiRouterOptions } from './api-router.ts'
import type { HotOperation } from '../operations/operation.ts'
import { timeoutMsOf } from '../operations/operations.ts'
import { apiRequestHeaders, foreignFailure, setApiResponseHeaders } from './headers.ts'

interface HotRoute {
  readonly path: string
  readonly operation: HotOperation
  readonly upstream: Upstream
}

/**
 * Forwards ordinary requests of the hot routes without Express (docs/adr/0009). A request is ordinary when it is a `POST` with a
 * plain JSON body and its token is cached; the network's callbacks have none. Express (`next`) gets every other request.
 */
export function withHotProxy(next: RequestListener, options: ApiRouterOptions, observer: Observer): RequestListener {
  const routes = new Map(hotRoutesOf(options).map((route) => [route.path, route]))
  return (request, response) => {
    const route = request.method === 'POST' ? routes.get(request.url ?? '') : undefined
    const caller = route && hasPlainJson(request, BODY_LIMIT_BYTES) ? callerOf(route, request, options) : undefined
    if (!route || !caller) {
      next(request, response)
      return
    }
    observeRequest(observer, { request, response, routeOf: () => route.path }, (requestId) => {
      noteCaller({ addressPrefix: addressPrefix(options.clientAddress(request)) })
      if (caller !== 'network') noteCaller({ credentialId: caller.credentialId })
      forward(route, { caller, requestId, options }, request, response).catch((error: unknown) => {
        const { status, headers, text } = problemAnswer(error, requestId, observer.log)
        sendText(response, status, headers, text)
      })
    })
  }
}

/** The routes marked `hot` whose upstream is configured. */
function hotRoutesOf({ routes, upstreams }: ApiRouterOptions): HotRoute[] {
  return Object.entries(routes).flatMap(([path, { POST: operation }]) => {
    const upstream = operation && upstreams[operation.to]
    return upstream && operation.hot ? [{ path, operation, upstream }] : []
  })
}

/** `undefined` when the token is missing or not cached: Express then exchanges or refuses it. */
function callerOf(
  { operation }: HotRoute,
  { headers }: IncomingMessage,
  { exchangeTokens }: ApiRouterOptions,
): Caller | 'network' | undefined {
  if (operation.caller === 'network') return 'network'
  const token = bearerToken(headers.authorization)
  return token === undefined ? undefined : exchangeTokens.cached(token, audienceOf(operation.to))
}

async function forward(
  { path, operation, upstream }: HotRoute,
  { caller, requestId, options }: { caller: Caller | 'network'; requestId: string; options: ApiRouterOptions },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (caller !== 'network') options.limits[operation.rate](caller.merchantId)
  const callback = caller === 'network' ? options.callbacks.begin(request) : undefined
  try {
    const headers = {
      ...apiRequestHeaders(request.headers, requestId),
      ...(caller !== 'network' && { authorization: `Bearer ${caller.internalToken}` }),
    }
    const timeoutMs = timeoutMsOf(operation, options.upstreamTimeoutMs)
    const body = await readBytes(request)
    const answer = await upstream.requestBuffered({ method: 'POST', path, headers, body, timeoutMs })
    callback?.end(outcomeOf(answer.statusCode))
    const failure = foreignFailure(answer)
    if (failure) throw failure
    response.statusCode = answer.statusCode
    setApiResponseHeaders(response, answer.headers)
    response.end(answer.body)
  } finally {
    callback?.end('undecided')
  }
}
