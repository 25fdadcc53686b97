import { hash } from 'node:crypto'
import type { LRUCache } from 'lru-cache'
import {
  MERCHANT_SERVICES,
  readKeyId,
  Refused,
  Unavailable,
  type ExchangedTokens,
  type MerchantService,
} from '@gateway/contracts'
import type { Environment } from '@gateway/service-kit'
import { boundedCache } from '@gateway/service-kit/limits'
import type { CallOrigin, ExchangeAttempt, ExchangeGate } from './admit-strangers.ts'
import type { RevocationWatch } from './watch-revocations.ts'

/** The merchant behind a bearer token, and the internal token that one service accepts. */
export interface Caller {
  readonly internalToken: string
  readonly merchantId: string
  readonly credentialId: string
}

interface CachedCaller extends Caller {
  readonly usableUntilMs: number
}

/** One exchange's answer: the same merchant, with a token for each service that was asked for. */
type CallersByService = ReadonlyMap<MerchantService, CachedCaller>

export type ExchangeTokens = ReturnType<typeof makeExchangeTokens>

interface PendingExchange {
  readonly answer: Promise<CallersByService>
  readonly startedMs: number
}

/** An older pending exchange may have been answered before a revocation, so later requests do not share it. */
const SHARE_PENDING_MS = 250

interface Dependencies {
  /** Calls auth-token. Throws `token_invalid`, `token_expired` or `Unavailable`. */
  readonly exchange: (token: string, services: readonly MerchantService[]) => Promise<ExchangedTokens>
  readonly revocations: RevocationWatch
  readonly gate: ExchangeGate
  readonly environment: Environment
  readonly now: () => Date
}

/**
 * Exchanges each merchant's token once for the payment path and caches the answer while the revocation list is fresh. Without a
 * fresh list, auth-token is called for every request (design, section 5).
 */
export function makeExchangeTokens({ exchange, revocations, gate, environment, now }: Dependencies) {
  const callers = createInternalTokenCaches()
  const refusals = createRefusalMemory(now)
  const pending = new Map<string, PendingExchange>()

  function findCached(key: string, service: MerchantService): CachedCaller | undefined {
    const found = callers[service].get(key)
    if (!found || !revocations.isFresh()) return undefined
    if (found.usableUntilMs > now().getTime() && !revocations.isRevoked(found.credentialId)) return found
    callers[service].delete(key)
    return undefined
  }

  async function exchangeThrough({ key, token, services }: Request, attempt: ExchangeAttempt): Promise<CallersByService> {
    try {
      const exchanged = await exchange(token, services)
      const found = callersIn(exchanged)
      for (const [service, caller] of found) callers[service].set(key, caller)
      attempt.accept(exchanged.merchant_id)
      return found
    } catch (error) {
      attempt.fail(error instanceof Refused ? 'refused' : 'undecided')
      if (error instanceof Refused) refusals.keep(key, error)
      throw error
    }
  }

  function shareable(pendingKey: string): Promise<CallersByService> | undefined {
    const found = pending.get(pendingKey)
    return found && now().getTime() - found.startedMs < SHARE_PENDING_MS ? found.answer : undefined
  }

  async function exchangeAlone(request: Request, pendingKey: string, attempt: ExchangeAttempt): Promise<CallersByService> {
    const mine: PendingExchange = { answer: exchangeThrough(request, attempt), startedMs: now().getTime() }
    pending.set(pendingKey, mine)
    try {
      return await mine.answer
    } finally {
      if (pending.get(pendingKey) === mine) pending.delete(pendingKey)
    }
  }

  async function exchangeOnce(request: Request, from: CallOrigin): Promise<CallersByService> {
    const pendingKey = `${request.key} ${request.services.join()}`
    let keyId: string
    try {
      keyId = readKeyId(request.token, environment)
      refusals.throwIfRefused(request.key)
      const shared = shareable(pendingKey)
      if (shared) return await shared
    } catch (error) {
      // The refusal cost no exchange. It still counts, so that repeated ones become 429.
      if (error instanceof Refused) gate.turnAway(from.address)
      throw error
    }
    return exchangeAlone(request, pendingKey, gate.begin(keyId, from))
  }

  /** Throws what `Dependencies.exchange` throws, and `rate_limited`. */
  async function callerOf(token: string, service: MerchantService, from: CallOrigin): Promise<Caller> {
    const key = digestOf(token)
    const found =
      findCached(key, service) ?? (await exchangeOnce({ key, token, services: servicesSharing(service) }, from)).get(service)
    if (!found) throw new Unavailable('upstream_unavailable', 'Tokens cannot be verified at the moment; try again')
    return found
  }

  /** The caller from the cache; `undefined` when this token was not exchanged for the service or the answer has expired. */
  const cached = (token: string, service: MerchantService): Caller | undefined => findCached(digestOf(token), service)
  return Object.assign(callerOf, { cached })
}

interface Request {
  readonly key: string
  readonly token: string
  /** The services for which auth-token must make internal tokens. */
  readonly services: readonly MerchantService[]
}

/** The cache's key is a digest, so that a memory dump holds no list of tokens. */
function digestOf(token: string): string {
  return hash('sha256', token, 'base64')
}

/** Short: a token becomes valid when it was made by a clock that is slightly too far ahead. */
export const REMEMBER_MS = 2000

const MAX_REFUSALS = 20_000

/** Tokens that were refused a moment ago: they are refused again without another exchange. */
function createRefusalMemory(now: () => Date) {
  const refusals = boundedCache<{ readonly refusal: Error; readonly untilMs: number }>(MAX_REFUSALS)
  return {
    /** Throws the refusal that was kept under the key, while it is remembered. */
    throwIfRefused(key: string): void {
      const found = refusals.get(key)
      if (!found) return
      if (now().getTime() < found.untilMs) throw found.refusal
      refusals.delete(key)
    },
    keep: (key: string, refusal: Error) => void refusals.set(key, { refusal, untilMs: now().getTime() + REMEMBER_MS }),
  }
}

/**
 * A cached internal token is not used in its last seconds: it must still be valid at a service whose clock is 30 s ahead.
 */
const EXPIRY_MARGIN_MS = 35_000

/** These services share one exchange, whose answer has a token for each of them. Every other service needs its own exchange. */
const PAYMENT_PATH: readonly MerchantService[] = ['order-api', 'payment-status']

const MAX_TOKENS = 20_000
/** For each service outside the payment path. */
const MAX_OTHER_TOKENS = 5000

/** The services for which one exchange returns tokens, including this one. */
function servicesSharing(service: MerchantService): readonly MerchantService[] {
  return PAYMENT_PATH.includes(service) ? PAYMENT_PATH : [service]
}

function callersIn(exchanged: ExchangedTokens): CallersByService {
  const { merchant_id: merchantId, credential_id: credentialId, internal_tokens: tokens } = exchanged
  const usableUntilMs = new Date(exchanged.expires_at).getTime() - EXPIRY_MARGIN_MS
  return new Map(
    MERCHANT_SERVICES.flatMap((service) => {
      const internalToken = tokens[service]
      return internalToken === undefined ? [] : [[service, { internalToken, merchantId, credentialId, usableUntilMs }]]
    }),
  )
}

/** One cache for each service. The key is a digest of the merchant's token. */
function createInternalTokenCaches(): Readonly<Record<MerchantService, LRUCache<string, CachedCaller>>> {
  const caches = MERCHANT_SERVICES.map((service) => {
    const maxTokens = PAYMENT_PATH.includes(service) ? MAX_TOKENS : MAX_OTHER_TOKENS
    return [service, boundedCache<CachedCaller>(maxTokens)] as const
  })
  return Object.fromEntries(caches) as Record<MerchantService, LRUCache<string, CachedCaller>>
}
