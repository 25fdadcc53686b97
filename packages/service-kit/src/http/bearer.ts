import type { Request, RequestHandler, Response } from 'express'
import { Refused, type GatewayService } from '@gateway/contracts'
import type { CallerTokens, OperatorTokens } from '../config/tokens.ts'
import { noteCaller } from '../logging/correlation.ts'
import { isSameSecret, secretMatcher } from '../secrets/secrets.ts'

/** The token of `authorization: Bearer …`, or `undefined`. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer ([^\s]+)$/iu.exec(header ?? '')?.[1]
}

/** Admits only callers that send the token. */
export function requireBearer(token: string): RequestHandler {
  return (request, _response, next) => {
    checkBearer(request, token)
    next()
  }
}

/** Throws `unauthorized` unless the request has the token. */
export function checkBearer(request: Request, token: string): void {
  const given = bearerToken(request.get('authorization'))
  if (given === undefined || !isSameSecret(given, token)) {
    throw new Refused('unauthorized', 'This request needs its own bearer token')
  }
}

/** Admits only these services to a route, and notes which one called. */
export type RequireCaller = (allowed: readonly GatewayService[]) => RequestHandler

/** Finds the calling service by its token. */
export function makeRequireCaller(callers: CallerTokens): RequireCaller {
  const known = [...callers].flatMap(([name, accepted]) => accepted.map((token) => ({ name, isToken: secretMatcher(token) })))
  return (allowed) => (request, _response, next) => {
    const given = bearerToken(request.get('authorization')) ?? ''
    // Compare every token, so that the response time does not reveal which token was close.
    const [caller] = known.filter(({ isToken }) => isToken(given))
    noteCaller({ service: caller?.name })
    if (!caller) throw new Refused('unauthorized', 'This route needs the bearer token of a service')
    if (!allowed.includes(caller.name)) throw new Refused('unauthorized', `This route is not for ${caller.name}`)
    next()
  }
}

const operators = new WeakMap<Response, string>()

/** Admits only operators, and notes which one it is. */
export function requireOperator(tokens: OperatorTokens): RequestHandler {
  const all = [...tokens].flatMap(([name, accepted]) => accepted.map((token) => ({ name, token })))
  return (request, response, next) => {
    const given = bearerToken(request.get('authorization'))
    // Compare every token, so that the response time does not reveal which token was close.
    const [found] = given === undefined ? [] : all.filter(({ token }) => isSameSecret(given, token))
    if (!found) throw new Refused('unauthorized', "This route needs an operator's bearer token")
    operators.set(response, found.name)
    noteCaller({ operator: found.name })
    next()
  }
}

/** The name of the operator that `requireOperator` found on this request. */
export function operatorOf(response: Response): string {
  const name = operators.get(response)
  if (name === undefined) throw new Error('this route has no requireOperator before it')
  return name
}
