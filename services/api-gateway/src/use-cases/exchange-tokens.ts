import { hash } from 'node:crypto'
import { readKeyId, Refused, type ExchangedToken } from '@gateway/contracts'
import type { Environment } from '@gateway/service-kit'
import { boundedCache } from './bounded-cache.ts'
import type { Attempt, StrangerGate } from './admit-strangers.ts'
import { createRefusalMemory } from './remember-refusals.ts'
import type { RevocationWatch } from './watch-revocations.ts'

/** The merchant behind a bearer token, and the internal token that the services accept. */
export interface Caller {
  readonly internalToken: string
  readonly merchantId: string
  readonly credentialId: string
}

export interface ExchangeTokens {
  /** `address`: where the token came from. Throws what `Dependencies.exchange` throws, and `rate_limited`. */
  (token: string, address: string): Promise<Caller>
  /** The caller, when this token was exchanged before and the answer is still valid. */
  readonly cached: (token: string) => Caller | undefined
}

interface CachedCaller extends Caller {
  readonly usableUntilMs: number
}

interface PendingExchange {
  readonly answer: Promise<CachedCaller>
  readonly startedMs: number
}

/**
 * A cached internal token is not used in its last seconds: it must still be valid when a service verifies it whose clock is 30 s
 * ahead.
 */
const EXPIRY_MARGIN_MS = 35_000

/** An older pending exchange may have been answered before a revocation, so later requests do not share it. */
const SHARE_PENDING_MS = 250

const MAX_TOKENS = 20_000

interface Dependencies {
  /** Calls auth-token. Throws `token_invalid`, `token_expired` or `Unavailable`. */
  readonly exchange: (token: string) => Promise<ExchangedToken>
  readonly revocations: RevocationWatch
  /** Whose buckets pay for tokens that turn out to be invalid. */
  readonly strangers: StrangerGate
  readonly environment: Environment
  readonly now: () => Date
}

/**
 * Exchanges each merchant's token once and caches the answer while the revocation list is fresh. Without a fresh list,
 * auth-token is called for every request (design, section 5).
 */
export function makeExchangeTokens(dependencies: Dependencies): ExchangeTokens {
  const { exchange, revocations, strangers, environment, now } = dependencies
  const callers = boundedCache<CachedCaller>(MAX_TOKENS)
  const refusals = createRefusalMemory(now)
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

  function shareable(key: string): Promise<CachedCaller> | undefined {
    const found = pending.get(key)
    return found && now().getTime() - found.startedMs < SHARE_PENDING_MS ? found.answer : undefined
  }

  /** The address pays for the exchange unless the token is valid. */
  async function exchangeAtCost(key: string, token: string, attempt: Attempt): Promise<CachedCaller> {
    try {
      const caller = await exchangeAndCache(key, token)
      attempt.end('accepted')
      return caller
    } catch (error) {
      attempt.end(error instanceof Refused ? 'refused' : 'undecided')
      if (error instanceof Refused) refusals.keep(key, error)
      throw error
    }
  }

  async function exchangeAlone(key: string, token: string, attempt: Attempt): Promise<CachedCaller> {
    const mine: PendingExchange = { answer: exchangeAtCost(key, token, attempt), startedMs: now().getTime() }
    pending.set(key, mine)
    try {
      return await mine.answer
    } finally {
      if (pending.get(key) === mine) pending.delete(key)
    }
  }

  async function exchangeOnce(token: string, address: string): Promise<Caller> {
    const key = digestOf(token)
    const found = findCached(key)
    if (found) return found

    let keyId: string
    try {
      keyId = readKeyId(token, environment)
      refusals.throwIfRefused(key)
      const shared = shareable(key)
      if (shared) return await shared
    } catch (error) {
      // The refusal cost no exchange. It still counts, so that repeated ones become 429.
      if (error instanceof Refused) strangers.turnAway(address)
      throw error
    }
    return exchangeAlone(key, token, strangers.begin(address, keyId))
  }

  return Object.assign(exchangeOnce, { cached: (token: string) => findCached(digestOf(token)) })
}

/** The cache's key is a digest, so that a memory dump holds no list of tokens. */
function digestOf(token: string): string {
  return hash('sha256', token, 'base64')
}
