import type { Request, Response } from 'express'
import { createSealer, type Environment } from '@gateway/service-kit'
import { cookieOptions, readCookie } from './cookies.ts'

/** The payment that the cookie belongs to. */
interface Place {
  readonly transactionId: string
  readonly attemptId: string
}

/**
 * The address of the bank's page, kept by the shopper's own browser and nowhere else. Sealed, so that it opens for this
 * attempt only, and neither the shopper nor anybody who writes cookies can make this page lead elsewhere.
 */
export interface BankCookie {
  set(response: Response, place: Place, redirectUrl: string, cookie: { path: string; expires: Date }): void
  /** `undefined` when this browser has none for the attempt. */
  read(request: Request, place: Place): string | undefined
}

const COOKIE = 'checkout_bank'

export function createBankCookie(key: Buffer, environment: Environment): BankCookie {
  const sealer = createSealer(new Map([['link', key]]))
  const contextOf = ({ transactionId, attemptId }: Place): string => `bank:${transactionId}:${attemptId}`
  return {
    set(response, place, redirectUrl, { path, expires }) {
      const sealed = sealer.seal(Buffer.from(redirectUrl), contextOf(place))
      response.cookie(COOKIE, sealed, { ...cookieOptions(environment, path), expires })
    },
    read(request, place) {
      const sealed = readCookie(request, COOKIE)
      if (sealed === undefined) return undefined
      try {
        return sealer.open(sealed, contextOf(place)).toString('utf8')
      } catch {
        // Of another attempt, or written by somebody else.
        return undefined
      }
    },
  }
}
