import type { IncomingMessage, ServerResponse } from 'node:http'
import { SpanKind } from '@opentelemetry/api'
import {
  ADDRESS_PREFIX_HEADER,
  REQUEST_ID_HEADER,
  requestIdFrom,
  withCorrelation,
  currentCorrelation,
  type Caller,
} from '../logging/correlation.ts'
import type { Log } from '../logging/logger.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { beginSpan, isTracing, readTrace, traceHeaders, type LiveSpan } from '../tracing/tracing.ts'

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

const PROBES = new Set(['/healthz', '/readyz'])

/**
 * The span of a request. At the edge a new trace begins and the caller's is only a link: a stranger must not decide whether
 * and what is recorded. An inner service joins the trace of its caller and begins none: services that poll are no payments.
 */
function beginRequestSpan({ headers, method = '', url }: IncomingMessage, edge: boolean): LiveSpan | undefined {
  if (!isTracing()) return undefined
  const callers = readTrace(headers)
  if (edge)
    return PROBES.has(url ?? '') ? undefined : beginSpan(method, { kind: SpanKind.SERVER, parent: undefined, link: callers })
  return callers && beginSpan(method, { kind: SpanKind.SERVER, parent: callers })
}

/** Names the span after the route's pattern, never the address. A status of 500 or more marks it as failed. */
function endRequestSpan(span: LiveSpan | undefined, request: { method: string; route: string; status: number }): void {
  const { method, route, status } = request
  span?.end({
    name: `${method} ${route}`,
    attributes: { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status },
    failed: status >= 500,
  })
}

/** Headers of every call to another service: the current request id and, while tracing is on, the trace. */
export function correlationHeaders(): Readonly<Record<string, string>> {
  const { requestId } = currentCorrelation()
  return requestId === undefined ? traceHeaders() : { [REQUEST_ID_HEADER]: requestId, ...traceHeaders() }
}
