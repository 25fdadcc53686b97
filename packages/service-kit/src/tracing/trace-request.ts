import type { IncomingMessage } from 'node:http'
import { SpanKind } from '@opentelemetry/api'
import { beginSpan, isTracing, readTrace, type LiveSpan } from './tracing.ts'

const PROBES = new Set(['/healthz', '/readyz'])

/**
 * The span of a request. At the edge a new trace begins and the caller's is only a link: a stranger must not decide whether
 * and what is recorded. An inner service joins the trace of its caller and begins none: services that poll are no payments.
 */
export function beginRequestSpan({ headers, method = '', url }: IncomingMessage, edge: boolean): LiveSpan | undefined {
  if (!isTracing()) return undefined
  const callers = readTrace(headers)
  if (edge)
    return PROBES.has(url ?? '') ? undefined : beginSpan(method, { kind: SpanKind.SERVER, parent: undefined, link: callers })
  return callers && beginSpan(method, { kind: SpanKind.SERVER, parent: callers })
}

/** Names the span after the route's pattern, never the address. A status of 500 or more marks it as failed. */
export function endRequestSpan(span: LiveSpan | undefined, request: { method: string; route: string; status: number }): void {
  const { method, route, status } = request
  span?.end({
    name: `${method} ${route}`,
    attributes: { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status },
    failed: status >= 500,
  })
}
