import type { LRUCache } from 'lru-cache'
import { MERCHANT_SERVICES, type ExchangedTokens, type MerchantService } from '@gateway/contracts'
import { boundedCache } from '@gateway/service-kit/limits'

/** The merchant behind a bearer token, and the internal token that one service accepts. */
export interface Caller {
  readonly internalToken: string
  readonly merchantId: string
  readonly credentialId: string
}

export interface CachedCaller extends Caller {
  readonly usableUntilMs: number
}

/** One exchange's answer: the same merchant, with a token for each service that was asked for. */
export type CallersByService = ReadonlyMap<MerchantService, CachedCaller>

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
export function servicesSharing(service: MerchantService): readonly MerchantService[] {
  return PAYMENT_PATH.includes(service) ? PAYMENT_PATH : [service]
}

export function callersIn(exchanged: ExchangedTokens): CallersByService {
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
export function createInternalTokenCaches(): Readonly<Record<MerchantService, LRUCache<string, CachedCaller>>> {
  const caches = MERCHANT_SERVICES.map((service) => {
    const maxTokens = PAYMENT_PATH.includes(service) ? MAX_TOKENS : MAX_OTHER_TOKENS
    return [service, boundedCache<CachedCaller>(maxTokens)] as const
  })
  return Object.fromEntries(caches) as Record<MerchantService, LRUCache<string, CachedCaller>>
}
