import type { IncomingMessage } from 'node:http'
import { parseTraceparent, TRACEPARENT_HEADER } from './trace-context.ts'
import { beginSpan, isTracing, type LiveSpan } from './tracing.ts'

const PROBES = new Set(['/healthz', '/readyz'])

/**
 * The span of a request. At the edge a new trace begins, whatever the caller says: whether a trace is recorded and what is in
 * it must not be a stranger's choice, so theirs is only a link. A service behind the edge goes on with the trace that it is
 * told, and begins none: neighbours that poll are no payments.
 */
export function beginRequestSpan({ headers, method = '', url }: IncomingMessage, edge: boolean): LiveSpan | undefined {
  if (!isTracing()) return undefined
  const header = headers[TRACEPARENT_HEADER]
  const told = typeof header === 'string' && parseTraceparent(header) ? header : undefined
  if (edge) return PROBES.has(url ?? '') ? undefined : beginSpan(method, { kind: 'server', parent: undefined, link: told })
  return told === undefined ? undefined : beginSpan(method, { kind: 'server', parent: told })
}

/** The route's pattern, never the address; an error of ours marks the span. */
export function endRequestSpan(span: LiveSpan | undefined, request: { method: string; route: string; status: number }): void {
  const { method, route, status } = request
  span?.end({
    name: `${method} ${route}`,
    attributes: { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status },
    failed: status >= 500,
  })
}
