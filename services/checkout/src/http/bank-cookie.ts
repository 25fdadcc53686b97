import type { Request, Response } from 'express'
import { createSealer, type Environment, type Sealer } from '@gateway/service-kit'
import type { LiveKeys } from '../domain/live-keys.ts'
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

export function createBankCookie([current, ...others]: LiveKeys, environment: Environment): BankCookie {
  const sealerOf = (key: Buffer): Sealer => createSealer(new Map([['link', key]]))
  const [sealer, ...otherSealers] = [sealerOf(current), ...others.map(sealerOf)]
  const contextOf = ({ transactionId, attemptId }: AttemptRef): string => `bank:${transactionId}:${attemptId}`
  return {
    set(response, attempt, redirectUrl, { path, expires }) {
      const sealed = sealer.seal(Buffer.from(redirectUrl), contextOf(attempt))
      response.cookie(COOKIE, sealed, { ...cookieOptions(environment, path), expires })
    },
    read(request, attempt) {
      const sealed = readCookie(request, COOKIE)
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
