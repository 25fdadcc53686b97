import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { Unavailable } from '@gateway/contracts'
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
import type { Caller } from '../use-cases/exchange-tokens.ts'
import type { Upstream } from '../upstream/upstream.ts'
import type { ApiRouterOptions } from './api-router.ts'
import type { ApiOperation } from './api-routes.ts'
import { apiRequestHeaders, isProblem, setApiResponseHeaders } from './headers.ts'

interface Shortcut {
  readonly path: string
  readonly operation: ApiOperation
  readonly upstream: Upstream
}

/**
 * Passes on the ordinary calls of the payment path without the framework: a plain JSON body, and a token that was exchanged
 * before or, from the network, none. Everything else, every token that is not known above all, is left to `app` (docs/adr/0009).
 */
export function withShortcut(app: RequestListener, options: ApiRouterOptions, observer: Observer): RequestListener {
  const shortcuts = new Map(shortcutsOf(options).map((shortcut) => [shortcut.path, shortcut]))
  return (request, response) => {
    const shortcut = request.method === 'POST' ? shortcuts.get(request.url ?? '') : undefined
    const caller = shortcut && hasPlainJson(request, BODY_LIMIT_BYTES) ? callerOf(shortcut, request, options) : undefined
    if (!shortcut || !caller) {
      app(request, response)
      return
    }
    observeRequest(observer, { request, response, routeOf: () => shortcut.path }, (requestId) => {
      pass(shortcut, { caller, requestId, limits: options.limits }, request, response).catch((error: unknown) => {
        const { status, headers, text } = problemAnswer(error, requestId, observer.log)
        sendText(response, status, headers, text)
      })
    })
  }
}

/** Calls of merchants and of the network whose effect is the same when they are sent twice. */
function shortcutsOf({ routes, upstreams }: ApiRouterOptions): Shortcut[] {
  return Object.entries(routes).flatMap(([path, { POST: operation }]) => {
    const upstream = operation && upstreams[operation.to]
    return upstream && operation.caller !== 'anyone' && operation.repeatable ? [{ path, operation, upstream }] : []
  })
}

function callerOf(
  { operation }: Shortcut,
  { headers }: IncomingMessage,
  { exchangeTokens }: ApiRouterOptions,
): Caller | 'network' | undefined {
  if (operation.caller === 'network') return 'network'
  const token = bearerToken(headers.authorization)
  return token === undefined ? undefined : exchangeTokens.known(token)
}

async function pass(
  { path, operation, upstream }: Shortcut,
  { caller, requestId, limits }: { caller: Caller | 'network'; requestId: string; limits: ApiRouterOptions['limits'] },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (caller !== 'network') limits[operation.rate](caller.merchantId)
  const headers = {
    ...apiRequestHeaders(request.headers, requestId),
    ...(caller !== 'network' && { authorization: `Bearer ${caller.internalToken}` }),
  }
  const answer = await upstream.ask({ method: 'POST', path, headers, body: await readBytes(request) })
  if (answer.statusCode >= 500 && !isProblem(answer.headers)) {
    throw new Unavailable('upstream_failed', 'The service failed; try again')
  }
  response.statusCode = answer.statusCode
  setApiResponseHeaders(response, answer.headers)
  response.end(answer.body)
}
