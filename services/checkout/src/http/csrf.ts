import { createHmac, randomBytes } from 'node:crypto'
import type { Request, Response } from 'express'
import { isSameSecret, type Environment } from '@gateway/service-kit'
import type { LiveKeys } from '../use-cases/attempt-ids.ts'
import { cookieOptions, readCookie } from './cookies.ts'

/**
 * Accepts forms from our own page only. The browser holds a random cookie that other sites' form posts do not carry
 * (SameSite=Lax), and the form holds a token derived from that cookie and the payment.
 */
export interface Csrf {
  /** Returns the token for this payment's forms; sets the cookie if the browser has none. */
  issue(request: Request, response: Response, transactionId: string): string
  /** Returns the token when the browser has the cookie, else `undefined`. */
  token(request: Request, transactionId: string): string | undefined
  /** True when the form came from our page. */
  isValid(request: Request, transactionId: string, token: unknown): boolean
}

const COOKIE = 'checkout_session'
const COOKIE_BYTES = 16
const SESSION = /^[A-Za-z0-9_-]{22}$/u

export function createCsrf(keys: LiveKeys, environment: Environment): Csrf {
  const tokenFor = (session: string, transactionId: string, by = keys[0]): string =>
    createHmac('sha256', by).update(`csrf:${session}:${transactionId}`).digest('base64url')
  return {
    issue(request, response, transactionId) {
      const known = sessionOf(request)
      const session = known ?? randomBytes(COOKIE_BYTES).toString('base64url')
      if (known === undefined) response.cookie(COOKIE, session, cookieOptions(environment))
      return tokenFor(session, transactionId)
    },
    token(request, transactionId) {
      const session = sessionOf(request)
      return session === undefined ? undefined : tokenFor(session, transactionId)
    },
    isValid(request, transactionId, token) {
      const session = sessionOf(request)
      if (session === undefined || typeof token !== 'string' || !isSameOrigin(request)) return false
      return keys.some((by) => isSameSecret(token, tokenFor(session, transactionId, by)))
    },
  }
}

/** Browsers send `sec-fetch-site`. Without it (an old browser, or none) the token alone decides. */
function isSameOrigin(request: Request): boolean {
  const site = request.get('sec-fetch-site')
  return site === undefined || site === 'same-origin'
}

function sessionOf(request: Request): string | undefined {
  const session = readCookie(request, COOKIE)
  return session !== undefined && SESSION.test(session) ? session : undefined
}
