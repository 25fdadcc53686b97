import type { Request, Response } from 'express'
import { createSealer, type Environment } from '@gateway/service-kit'
import { cookieOptions, readCookie } from './cookies.ts'

/** The attempt that the cookie belongs to. */
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

const COOKIE = 'checkout_bank'

export function createBankCookie(key: Buffer, environment: Environment): BankCookie {
  const sealer = createSealer(new Map([['link', key]]))
  const contextOf = ({ transactionId, attemptId }: AttemptRef): string => `bank:${transactionId}:${attemptId}`
  return {
    set(response, attempt, redirectUrl, { path, expires }) {
      const sealed = sealer.seal(Buffer.from(redirectUrl), contextOf(attempt))
      response.cookie(COOKIE, sealed, { ...cookieOptions(environment, path), expires })
    },
    read(request, attempt) {
      const sealed = readCookie(request, COOKIE)
      if (sealed === undefined) return undefined
      try {
        return sealer.open(sealed, contextOf(attempt)).toString('utf8')
      } catch {
        // Sealed for another attempt, or not sealed by us.
        return undefined
      }
    },
  }
}
