import type { CookieOptions, Request, Response } from 'express'
import type { Environment } from '@gateway/service-kit'

/** Our cookies: never readable by a script, never sent to another site's request, and only to these pages. */
export function cookieOptions(environment: Environment, path = '/checkout'): CookieOptions {
  return { path, httpOnly: true, sameSite: 'lax', secure: environment === 'production' }
}

/** The value of a cookie of ours, none of which needs more than these letters; `undefined` when there is none. */
export function readCookie(request: Request, name: string): string | undefined {
  const pattern = new RegExp(`(?:^|;\\s*)${name}=([A-Za-z0-9_.-]{1,4096})(?:;|$)`, 'u')
  return pattern.exec(request.get('cookie') ?? '')?.[1]
}

const NOTICE = 'checkout_notice'
const NOTICE_LASTS_MS = 60_000
const NOTICES = ['already_started', 'out_of_date'] as const
export type PageNotice = (typeof NOTICES)[number]

/** A word for the next page, so that it stands in no address. */
export function leaveNotice(response: Response, notice: PageNotice, at: { path: string; environment: Environment }): void {
  response.cookie(NOTICE, notice, { ...cookieOptions(at.environment, at.path), maxAge: NOTICE_LASTS_MS })
}

/** Reads it once. */
export function takeNotice(
  request: Request,
  response: Response,
  at: { path: string; environment: Environment },
): PageNotice | undefined {
  const left = readCookie(request, NOTICE)
  if (left === undefined) return undefined
  response.clearCookie(NOTICE, cookieOptions(at.environment, at.path))
  return NOTICES.find((notice) => notice === left)
}
