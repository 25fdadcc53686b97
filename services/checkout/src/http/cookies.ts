import type { CookieOptions, Request, Response } from 'express'
import { createSealer, type Environment, type Sealer } from '@gateway/service-kit'
import { NOTICES, type Notice } from '../domain/page-state.ts'
import { isLanguage, LANGUAGES, type Language } from '../domain/words.ts'
import type { LiveKeys } from '../use-cases/attempt-ids.ts'

/** Cookie attributes: hidden from scripts, not sent with other sites' form posts, limited to these pages. */
export function cookieOptions(environment: Environment, path = '/checkout'): CookieOptions {
  return { path, httpOnly: true, sameSite: 'lax', secure: environment === 'production' }
}

/** The value of one of our cookies, which use only these characters; `undefined` when it is missing. */
export function readCookie(request: Request, name: string): string | undefined {
  const pattern = new RegExp(`(?:^|;\\s*)${name}=([A-Za-z0-9_.-]{1,4096})(?:;|$)`, 'u')
  return pattern.exec(request.get('cookie') ?? '')?.[1]
}

/** Where a cookie of one payment's page belongs. */
interface Place {
  readonly path: string
  readonly environment: Environment
}

const NOTICE = 'checkout_notice'
const NOTICE_LASTS_MS = 60_000

/** Leaves a notice for the next page, in a cookie so that it does not appear in an address. */
export function leaveNotice(response: Response, notice: Notice, { path, environment }: Place): void {
  response.cookie(NOTICE, notice, { ...cookieOptions(environment, path), maxAge: NOTICE_LASTS_MS })
}

/** Reads the notice and deletes its cookie. */
export function takeNotice(request: Request, response: Response, { path, environment }: Place): Notice | undefined {
  const value = readCookie(request, NOTICE)
  if (value === undefined) return undefined
  response.clearCookie(NOTICE, cookieOptions(environment, path))
  return NOTICES.find((notice) => notice === value)
}

const LANGUAGE = 'checkout_lang'
const LANGUAGE_LASTS_MS = 180 * 86_400_000

/** The language that the shopper chose here, else the browser's preference, else English. */
export function languageOf(request: Request): Language {
  const chosen = readCookie(request, LANGUAGE)
  if (isLanguage(chosen)) return chosen
  const accepted = request.acceptsLanguages([...LANGUAGES])
  return isLanguage(accepted) ? accepted : 'en'
}

/** As `languageOf`, for pages: `?lang=` overrides the choice and is remembered in a cookie. */
export function chooseLanguage(request: Request, response: Response, environment: Environment): Language {
  const { lang } = request.query
  if (!isLanguage(lang)) return languageOf(request)
  response.cookie(LANGUAGE, lang, { ...cookieOptions(environment), maxAge: LANGUAGE_LASTS_MS })
  return lang
}

/** The attempt that the address of a bank's page belongs to. */
interface AttemptRef {
  readonly transactionId: string
  readonly attemptId: string
}

/**
 * The address of the bank's page, kept only in the shopper's browser. It is sealed for one attempt, so neither the shopper
 * nor an attacker who can set cookies can make this page lead elsewhere.
 */
export interface BankCookie {
  set(response: Response, attempt: AttemptRef, redirectUrl: string, cookie: { path: string; expires: Date }): void
  /** Returns `undefined` when this browser has no valid cookie for the attempt. */
  read(request: Request, attempt: AttemptRef): string | undefined
}

const BANK = 'checkout_bank'

export function createBankCookie([current, ...others]: LiveKeys, environment: Environment): BankCookie {
  const sealerOf = (key: Buffer): Sealer => createSealer(new Map([['link', key]]))
  const [sealer, ...otherSealers] = [sealerOf(current), ...others.map(sealerOf)]
  const contextOf = ({ transactionId, attemptId }: AttemptRef): string => `bank:${transactionId}:${attemptId}`
  return {
    set(response, attempt, redirectUrl, { path, expires }) {
      const sealed = sealer.seal(Buffer.from(redirectUrl), contextOf(attempt))
      response.cookie(BANK, sealed, { ...cookieOptions(environment, path), expires })
    },
    read(request, attempt) {
      const sealed = readCookie(request, BANK)
      if (sealed === undefined) return undefined
      for (const candidate of [sealer, ...otherSealers]) {
        try {
          return candidate.open(sealed, contextOf(attempt)).toString('utf8')
        } catch {
          // Sealed with another key or for another attempt, or forged.
        }
      }
      return undefined
    },
  }
}
