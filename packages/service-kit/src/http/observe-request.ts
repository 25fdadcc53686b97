import type { IncomingMessage, ServerResponse } from 'node:http'
import { ADDRESS_PREFIX_HEADER, REQUEST_ID_HEADER, requestIdFrom, withCorrelation, type Caller } from '../logging/correlation.ts'
import type { Log } from '../logging/logger.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { beginRequestSpan, endRequestSpan } from '../tracing/trace-request.ts'

export interface Observer {
  readonly log: Log
  readonly metrics: Metrics
  /** True for the public edge, where traces begin. */
  readonly edge?: boolean
}

/**
 * Adds a request id to the answer and to every log line of `work`, and writes one log line per request. `routeOf` is called at
 * the end and gives the route's pattern, not the address: a checkout path is a secret.
 */
export function observeRequest(
  { log, metrics, edge = false }: Observer,
  { request, response, routeOf }: { request: IncomingMessage; response: ServerResponse; routeOf: () => string },
  work: (requestId: string) => void,
): void {
  const header = request.headers[REQUEST_ID_HEADER]
  const requestId = requestIdFrom(typeof header === 'string' ? header : undefined)
  const startedMs = performance.now()
  response.setHeader(REQUEST_ID_HEADER, requestId)
  const span = beginRequestSpan(request, edge)
  const prefix = edge ? undefined : request.headers[ADDRESS_PREFIX_HEADER]
  const caller: Caller = { addressPrefix: typeof prefix === 'string' ? prefix : undefined }
  withCorrelation({ requestId, correlationId: requestId, trace: span?.context, caller }, () => {
    response.once('close', () => {
      const durationMs = performance.now() - startedMs
      const route = routeOf()
      const { method = '' } = request
      metrics.httpDuration.observe({ method, route, status: response.statusCode }, durationMs / 1000)
      endRequestSpan(span, { method, route, status: response.statusCode })
      // Other services poll internal routes; their successes are only of interest when debugging.
      const level = route.startsWith('/internal/') && response.statusCode < 400 ? 'debug' : 'info'
      log[level]('request', {
        method,
        route,
        status: response.statusCode,
        duration_ms: Math.round(durationMs * 10) / 10,
        credential_id: caller.credentialId,
        calling_service: caller.service,
        operator: caller.operator,
        address_prefix: caller.addressPrefix,
        aborted: response.writableFinished ? undefined : true,
      })
    })
    work(requestId)
  })
}
