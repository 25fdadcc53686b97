import type { RequestHandler } from 'express'
import { Refused } from '@gateway/contracts'
import { isSameSecret } from '../secrets/same-secret.ts'

/** The token of `authorization: Bearer …`, or `undefined`. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer ([^\s]+)$/iu.exec(header ?? '')?.[1]
}

/** Admits only callers that send the token: other services, operators, the network. */
export function requireBearer(token: string): RequestHandler {
  return (request, _response, next) => {
    const given = bearerToken(request.get('authorization'))
    if (given === undefined || !isSameSecret(given, token)) {
      throw new Refused('unauthorized', 'This route needs its own bearer token')
    }
    next()
  }
}
