import type { Request, RequestHandler } from 'express'
import { Refused } from '@gateway/contracts'

/** Segments of unreserved characters (RFC 3986, section 2.3) that are neither empty nor `.` nor `..`, and perhaps a slash at the end. */
const CANONICAL = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+\/?$/u

/**
 * Answers 404 for a path in another spelling, such as `/checkout/%301M8…`. A service would decode it to the usual path, so it would
 * escape the gateway's limits for that path. No path of the gateway needs an encoded character.
 */
export function requireCanonicalPath(limitPublic: (request: Request) => void): RequestHandler {
  return (request, _response, next) => {
    const [path = ''] = request.originalUrl.split('?', 1)
    if (!CANONICAL.test(path)) {
      limitPublic(request)
      // The gateway is no open proxy: it takes no absolute URL.
      if (!path.startsWith('/')) throw new Refused('malformed_request', 'The request target must begin with /')
      throw new Refused('not_found', 'There is nothing at this address')
    }
    next()
  }
}
