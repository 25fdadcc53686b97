import type { RequestListener } from 'node:http'
import { REQUEST_ID_HEADER, type Environment } from '@gateway/service-kit'

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  // A checkout link is a secret: the browser must not send it to sites that the page links to.
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
} as const
const HSTS = 'max-age=31536000; includeSubDomains'

/**
 * The first step of every request: sets the security headers, and drops the request id that the caller sent. A service that
 * answers with a header of the same name replaces the one set here.
 */
export function withSecurityHeaders(next: RequestListener, environment: Environment): RequestListener {
  const headers = Object.entries({
    ...SECURITY_HEADERS,
    ...(environment === 'production' ? { 'strict-transport-security': HSTS } : {}),
  })
  return (request, response) => {
    // The gateway makes its own request id: with the caller's, two payments could look like one in the logs.
    Reflect.deleteProperty(request.headers, REQUEST_ID_HEADER)
    for (const [name, value] of headers) response.setHeader(name, value)
    next(request, response)
  }
}
