import { hash, timingSafeEqual } from 'node:crypto'
import type { RequestHandler } from 'express'
import { Refused } from '@gateway/contracts'

/** The token of `authorization: Bearer …`, or `undefined`. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer ([^\s]+)$/iu.exec(header ?? '')?.[1]
}

/** Lets only callers in that know the token: services among themselves, operators, the network. */
export function requireBearer(token: string): RequestHandler {
  const expected = digest(token)
  return (request, _response, next) => {
    const given = bearerToken(request.get('authorization'))
    if (given === undefined || !timingSafeEqual(digest(given), expected)) {
      throw new Refused('unauthorized', 'This address needs its own bearer token')
    }
    next()
  }
}

/** Digests have one length, so the comparison takes the same time whatever was given. */
function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
