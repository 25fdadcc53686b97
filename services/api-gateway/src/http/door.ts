import type { RequestListener } from 'node:http'
import { REQUEST_ID_HEADER, type Environment } from '@gateway/service-kit'

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  // A checkout link is a secret: it must not travel on to where the page leads.
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
} as const
const HSTS = 'max-age=31536000; includeSubDomains'

/** What happens to every request before it is looked at. Services may replace a header here by a fitter one of theirs. */
export function door(app: RequestListener, environment: Environment): RequestListener {
  const headers = Object.entries({
    ...SECURITY_HEADERS,
    ...(environment === 'production' ? { 'strict-transport-security': HSTS } : {}),
  })
  return (request, response) => {
    // The id is ours: with the caller's, two payments could look like one in the logs.
    Reflect.deleteProperty(request.headers, REQUEST_ID_HEADER)
    for (const [name, value] of headers) response.setHeader(name, value)
    app(request, response)
  }
}
