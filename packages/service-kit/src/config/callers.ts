import { isGatewayService, type GatewayService } from '@gateway/contracts'
import type { EnvReader } from './reader.ts'
import { isPlaceholder } from './secret.ts'

/** The tokens that this service accepts on its internal routes, of each calling service. */
export type CallerTokens = ReadonlyMap<GatewayService, readonly string[]>

/** Two, so that a token can be replaced without a gap. */
const MAX_TOKENS_EACH = 2
const TYPE = '`<service>:<at least 32 random characters>`, separated by commas'
const PAIR = /^([a-z-]{1,40}):([^\s:,]{32,256})$/u

/** The token that this service sends to others: `SERVICE_TOKEN`. */
export function readServiceToken(env: EnvReader): string {
  return env.secret('SERVICE_TOKEN', 'Bearer token of this service, which it sends to other services')
}

/** Reads `CALLER_TOKENS`. `optional`: when it is not set, the service refuses every internal call. */
export function readCallers(env: EnvReader, { optional = false } = {}): CallerTokens {
  const meaning = 'Services that may call this one, with their SERVICE_TOKEN; a name may occur twice while its token is replaced'
  const entries = env.secretList('CALLER_TOKENS', TYPE, meaning, { required: !optional })
  const callers = new Map<GatewayService, readonly string[]>()
  for (const entry of entries) {
    const [, name, token] = PAIR.exec(entry) ?? []
    if (!isGatewayService(name) || token === undefined) {
      env.reject(`CALLER_TOKENS must be ${TYPE}`)
      continue
    }
    if (isPlaceholder(token)) env.rejectInProduction('CALLER_TOKENS must be random')
    callers.set(name, [...(callers.get(name) ?? []), token])
  }
  refuseAmbiguous(env, callers)
  return callers
}

/** Every token that is accepted from a service. */
export function tokensOf(callers: CallerTokens): string[] {
  return [...callers.values()].flat()
}

function refuseAmbiguous(env: EnvReader, callers: CallerTokens): void {
  const all = tokensOf(callers)
  if (new Set(all).size < all.length) env.reject('CALLER_TOKENS must not give two services the same token')
  if ([...callers.values()].some(({ length }) => length > MAX_TOKENS_EACH)) {
    env.reject(`CALLER_TOKENS must have at most ${MAX_TOKENS_EACH} tokens for a service`)
  }
}
