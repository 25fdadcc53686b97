import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { ExchangedToken } from '@gateway/contracts'
import type { RevocationWatch } from './watch-revocations.ts'

/** The merchant behind a bearer token, and the internal token that the services accept. */
export interface Caller {
  readonly internalToken: string
  readonly merchantId: string
}

export interface ExchangeTokens {
  /** Throws what `Dependencies.exchange` throws. */
  (token: string): Promise<Caller>
  /** The caller, when this token was exchanged before and the answer is still valid. */
  readonly cached: (token: string) => Caller | undefined
}

interface CachedCaller extends Caller {
  readonly credentialId: string
  readonly usableUntilMs: number
}

interface PendingExchange {
  readonly answer: Promise<CachedCaller>
  readonly startedMs: number
}

/** A cached internal token is not used in its last seconds: it must still be valid when the service verifies it. */
const EXPIRY_MARGIN_MS = 5000

/** An older pending exchange may have been answered before a revocation, so later requests do not share it. */
const SHARE_PENDING_MS = 250

const MAX_TOKENS = 20_000

interface Dependencies {
  /** Calls auth-token. Throws `token_invalid`, `token_expired` or `Unavailable`. */
  readonly exchange: (token: string) => Promise<ExchangedToken>
  readonly revocations: RevocationWatch
  readonly now: () => Date
}

/**
 * Exchanges each merchant's token once and caches the answer while the revocation list is fresh. Without a fresh list,
 * auth-token is called for every request (design, section 5).
 */
export function makeExchangeTokens({ exchange, revocations, now }: Dependencies): ExchangeTokens {
  const callers = new LRUCache<string, CachedCaller>({ max: MAX_TOKENS })
  const pending = new Map<string, PendingExchange>()

  function findCached(key: string): CachedCaller | undefined {
    const found = callers.get(key)
    if (!found || !revocations.isFresh()) return undefined
    if (found.usableUntilMs > now().getTime() && !revocations.isRevoked(found.credentialId)) return found
    callers.delete(key)
    return undefined
  }

  async function exchangeAndCache(key: string, token: string): Promise<CachedCaller> {
    const exchanged = await exchange(token)
    const caller = {
      internalToken: exchanged.internal_token,
      merchantId: exchanged.merchant_id,
      credentialId: exchanged.credential_id,
      usableUntilMs: new Date(exchanged.expires_at).getTime() - EXPIRY_MARGIN_MS,
    }
    callers.set(key, caller)
    return caller
  }

  async function exchangeOnce(token: string): Promise<Caller> {
    const key = digestOf(token)
    const found = findCached(key)
    if (found) return found

    const startedMs = now().getTime()
    const shared = pending.get(key)
    if (shared && startedMs - shared.startedMs < SHARE_PENDING_MS) return shared.answer
    const mine: PendingExchange = { answer: exchangeAndCache(key, token), startedMs }
    pending.set(key, mine)
    try {
      return await mine.answer
    } finally {
      if (pending.get(key) === mine) pending.delete(key)
    }
  }

  return Object.assign(exchangeOnce, { cached: (token: string) => findCached(digestOf(token)) })
}

/** The cache's key is a digest, so that a memory dump holds no list of tokens. */
function digestOf(token: string): string {
  return hash('sha256', token, 'base64')
}
