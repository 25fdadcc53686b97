import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { ExchangedToken } from '@gateway/contracts'
import type { RevocationWatch } from './watch-revocations.ts'

/** The merchant behind a bearer token, and the token that services trust. */
export interface Caller {
  readonly internalToken: string
  readonly merchantId: string
}

export interface ExchangeTokens {
  (token: string): Promise<Caller>
  /** The caller, when this very token was exchanged already and the answer still counts. */
  readonly known: (token: string) => Caller | undefined
}

interface Kept extends Caller {
  readonly credentialId: string
  readonly usableUntilMs: number
}

interface Asking {
  readonly answer: Promise<Kept>
  readonly startedMs: number
}

/** An internal token is not kept in its last seconds: it must still be good when the service verifies it. */
const EXPIRY_MARGIN_MS = 5000

/** A question that is older may have been answered before a revocation, so nobody joins it any more. */
const JOIN_MS = 250

const MAX_TOKENS = 20_000

interface Dependencies {
  /** Throws `token_invalid`, `token_expired`, or `Unavailable`. */
  readonly ask: (token: string) => Promise<ExchangedToken>
  readonly revocations: RevocationWatch
  readonly now: () => Date
}

/**
 * Exchanges each merchant's token once and keeps the answer, as long as revocations are known to be fresh; without
 * fresh ones auth-token is asked for every request (design, section 5).
 */
export function makeExchangeTokens({ ask, revocations, now }: Dependencies): ExchangeTokens {
  const kept = new LRUCache<string, Kept>({ max: MAX_TOKENS })
  const asking = new Map<string, Asking>()

  function findKept(key: string): Kept | undefined {
    const found = kept.get(key)
    if (!found || !revocations.isFresh()) return undefined
    if (found.usableUntilMs > now().getTime() && !revocations.isRevoked(found.credentialId)) return found
    kept.delete(key)
    return undefined
  }

  async function exchange(key: string, token: string): Promise<Kept> {
    const exchanged = await ask(token)
    const caller = {
      internalToken: exchanged.internal_token,
      merchantId: exchanged.merchant_id,
      credentialId: exchanged.credential_id,
      usableUntilMs: new Date(exchanged.expires_at).getTime() - EXPIRY_MARGIN_MS,
    }
    kept.set(key, caller)
    return caller
  }

  async function exchangeOnce(token: string): Promise<Caller> {
    const key = keyOf(token)
    const found = findKept(key)
    if (found) return found

    const startedMs = now().getTime()
    const joined = asking.get(key)
    if (joined && startedMs - joined.startedMs < JOIN_MS) return joined.answer
    const mine: Asking = { answer: exchange(key, token), startedMs }
    asking.set(key, mine)
    try {
      return await mine.answer
    } finally {
      if (asking.get(key) === mine) asking.delete(key)
    }
  }

  return Object.assign(exchangeOnce, { known: (token: string) => findKept(keyOf(token)) })
}

/** The digest, so that a dump of the memory holds no list of tokens. */
function keyOf(token: string): string {
  return hash('sha256', token, 'base64')
}
