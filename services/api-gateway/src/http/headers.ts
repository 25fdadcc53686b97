import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { REPORT_HEADERS, Unavailable } from '@gateway/contracts'
import { ADDRESS_PREFIX_HEADER, currentCorrelation, REQUEST_ID_HEADER } from '@gateway/service-kit'
import { traceHeaders } from '@gateway/service-kit/tracing'

/** The headers that the gateway passes on between client and service; it drops all others (RFC 9110, section 7.6). */

/** Of a request by a merchant or the network. */
const API_REQUEST = new Set(['accept', 'content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature'])

/** Of a service's answer to a merchant. */
const API_RESPONSE = new Set([
  ...['cache-control', 'content-length', 'content-type', 'location', 'retry-after', 'www-authenticate'],
  ...Object.values(REPORT_HEADERS),
])

const HOP_BY_HOP = 'connection keep-alive proxy-authenticate proxy-connection te trailer transfer-encoding upgrade'.split(' ')

/**
 * A browser's headers vary too much for an allow list, so these are dropped, and every `x-…` header: proxies use those among
 * themselves. The gateway sets the trace headers itself.
 */
const PAGE_REQUEST_BLOCKED = new Set([
  ...HOP_BY_HOP,
  ...'authorization baggage expect forwarded host proxy-authorization traceparent tracestate via'.split(' '),
])
const PAGE_RESPONSE_BLOCKED = new Set([...HOP_BY_HOP, 'date', 'server', 'x-powered-by', REQUEST_ID_HEADER])

type UpstreamHeaders = Readonly<Record<string, string | string[] | undefined>>

/** For a service, of an API request. Adds the request id, the client's network and the trace. */
export function apiRequestHeaders(headers: IncomingHttpHeaders, requestId: string): Record<string, string> {
  const { addressPrefix } = currentCorrelation().caller ?? {}
  return {
    ...pick(headers, (name) => API_REQUEST.has(name)),
    [REQUEST_ID_HEADER]: requestId,
    ...(addressPrefix !== undefined && { [ADDRESS_PREFIX_HEADER]: addressPrefix }),
    ...traceHeaders(),
  }
}

/** For a service that streams events: also the client's position in the stream. */
export function streamRequestHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return pick(headers, (name) => name === 'last-event-id')
}

/** For checkout, of a browser's request. Adds the request id and the trace. */
export function pageRequestHeaders(headers: IncomingHttpHeaders, requestId: string): Record<string, string> {
  const hopByHop = namedByConnection(headers.connection)
  const passes = (name: string) => !PAGE_REQUEST_BLOCKED.has(name) && !name.startsWith('x-') && !hopByHop.has(name)
  return { ...pick(headers, passes), [REQUEST_ID_HEADER]: requestId, ...traceHeaders() }
}

export function setApiResponseHeaders(response: ServerResponse, headers: UpstreamHeaders): void {
  setHeaders(response, headers, (name) => API_RESPONSE.has(name))
}

export function setPageResponseHeaders(response: ServerResponse, headers: UpstreamHeaders): void {
  const { connection } = headers
  const hopByHop = namedByConnection(Array.isArray(connection) ? connection.join(',') : connection)
  setHeaders(response, headers, (name) => !PAGE_RESPONSE_BLOCKED.has(name) && !hopByHop.has(name))
}

/** What the caller learns of a 5xx that is no problem document: a proxy in between made it, not a service. `undefined` for others. */
export function foreignFailure({
  statusCode,
  headers,
}: {
  statusCode: number
  headers: UpstreamHeaders
}): Unavailable | undefined {
  if (statusCode < 500 || String(headers['content-type'] ?? '').startsWith('application/problem+json')) return undefined
  return new Unavailable('upstream_failed', 'The service failed; try again')
}

function pick(headers: IncomingHttpHeaders, passes: (name: string) => boolean): Record<string, string> {
  const picked: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && passes(name)) picked[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return picked
}

function setHeaders(response: ServerResponse, headers: UpstreamHeaders, passes: (name: string) => boolean): void {
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && passes(name)) response.setHeader(name, value)
  }
}

/** The headers that `connection: close, x-one` declares hop-by-hop: `x-one` must not be passed on. */
function namedByConnection(connection: string | undefined): ReadonlySet<string> {
  return new Set(
    (connection ?? '')
      .toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  )
}
