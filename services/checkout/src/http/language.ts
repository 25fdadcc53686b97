import type { Request, Response } from 'express'
import type { Environment } from '@gateway/service-kit'
import { isLanguage, LANGUAGES, type Language } from '../domain/words.ts'
import { cookieOptions, readCookie } from './cookies.ts'

const COOKIE = 'checkout_lang'
const LASTS_MS = 180 * 86_400_000

/** The language that the shopper chose here, else the browser's preference, else English. */
export function languageOf(request: Request): Language {
  const chosen = readCookie(request, COOKIE)
  if (isLanguage(chosen)) return chosen
  const accepted = request.acceptsLanguages([...LANGUAGES])
  return isLanguage(accepted) ? accepted : 'en'
}

/** As `languageOf`, for pages: `?lang=` overrides the choice and is remembered in a cookie. */
export function chooseLanguage(request: Request, response: Response, environment: Environment): Language {
  const { lang } = request.query
  if (!isLanguage(lang)) return languageOf(request)
  response.cookie(COOKIE, lang, { ...cookieOptions(environment), maxAge: LASTS_MS })
  return lang
}
