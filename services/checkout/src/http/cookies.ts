import type { CookieOptions, Request, Response } from 'express'
import type { Environment } from '@gateway/service-kit'
import { NOTICES, type Notice } from '../use-cases/pay.ts'

/** Cookie attributes: hidden from scripts, not sent with other sites' form posts, limited to these pages. */
export function cookieOptions(environment: Environment, path = '/checkout'): CookieOptions {
  return { path, httpOnly: true, sameSite: 'lax', secure: environment === 'production' }
}

/** The value of one of our cookies, which use only these characters; `undefined` when it is missing. */
export function readCookie(request: Request, name: string): string | undefined {
  const pattern = new RegExp(`(?:^|;\\s*)${name}=([A-Za-z0-9_.-]{1,4096})(?:;|$)`, 'u')
  return pattern.exec(request.get('cookie') ?? '')?.[1]
}

const NOTICE = 'checkout_notice'
const NOTICE_LASTS_MS = 60_000

/** Leaves a notice for the next page, in a cookie so that it does not appear in an address. */
export function leaveNotice(response: Response, notice: Notice, at: { path: string; environment: Environment }): void {
  response.cookie(NOTICE, notice, { ...cookieOptions(at.environment, at.path), maxAge: NOTICE_LASTS_MS })
}

/** Reads the notice and deletes its cookie. */
export function takeNotice(
  request: Request,
  response: Response,
  at: { path: string; environment: Environment },
): Notice | undefined {
  const value = readCookie(request, NOTICE)
  if (value === undefined) return undefined
  response.clearCookie(NOTICE, cookieOptions(at.environment, at.path))
  return NOTICES.find((notice) => notice === value)
}
