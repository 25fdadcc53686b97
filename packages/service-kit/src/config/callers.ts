import { isGatewayService, type GatewayService } from '@gateway/contracts'
import type { EnvReader } from './reader.ts'
import { isPlaceholder } from './secret.ts'

/** The tokens that other services may send to internal routes. */
export interface CallerTokens {
  /** The accepted tokens of each calling service. */
  readonly named: ReadonlyMap<GatewayService, readonly string[]>
  /** `INTERNAL_API_TOKEN`, which every service may send while it is set. */
  readonly shared: string | undefined
}

/** Two, so that a token can be replaced without a gap. */
const MAX_TOKENS_EACH = 2
const TYPE = '`<service>:<at least 32 random characters>`, separated by commas'
const PAIR = /^([a-z-]{1,40}):([^\s:,]{32,256})$/u

/**
 * `INTERNAL_API_TOKEN`: set only during an upgrade from a release without `SERVICE_TOKEN`. While it is set, old and new replicas
 * accept each other's calls (docs/operations/service-tokens.md).
 */
export function readSharedToken(env: EnvReader): string | undefined {
  return env.optionalSecret(
    'INTERNAL_API_TOKEN',
    'Bearer token that all services share; set only during an upgrade from a release without SERVICE_TOKEN',
  )
}

/** The token that this service sends to others: `SERVICE_TOKEN`, or `INTERNAL_API_TOKEN` while that is set. */
export function readServiceToken(env: EnvReader): string {
  const shared = readSharedToken(env)
  const meaning = 'Bearer token of this service, which it sends to other services; not needed with INTERNAL_API_TOKEN'
  const own = shared === undefined ? env.secret('SERVICE_TOKEN', meaning) : env.optionalSecret('SERVICE_TOKEN', meaning)
  return shared ?? own ?? ''
}

/**
 * `CALLER_TOKENS` and `INTERNAL_API_TOKEN`: the tokens that this service accepts on its internal routes. `optional`: when neither
 * is set, the service refuses every internal call.
 */
export function readCallers(env: EnvReader, { optional = false } = {}): CallerTokens {
  const shared = readSharedToken(env)
  const meaning = 'Services that may call this one, with their SERVICE_TOKEN; a name may occur twice while its token is replaced'
  const entries = env.secretList('CALLER_TOKENS', TYPE, meaning, { required: !optional && shared === undefined })
  const named = new Map<GatewayService, readonly string[]>()
  for (const entry of entries) {
    const [, name, token] = PAIR.exec(entry) ?? []
    if (!isGatewayService(name) || token === undefined) {
      env.reject(`CALLER_TOKENS must be ${TYPE}`)
      continue
    }
    if (isPlaceholder(token)) env.rejectInProduction('CALLER_TOKENS must be random')
    named.set(name, [...(named.get(name) ?? []), token])
  }
  refuseAmbiguous(env, named, shared)
  return { named, shared }
}

/** Every token that is accepted from a service. */
export function tokensOf({ named, shared }: CallerTokens): string[] {
  return [...[...named.values()].flat(), ...(shared === undefined ? [] : [shared])]
}

function refuseAmbiguous(env: EnvReader, named: CallerTokens['named'], shared: string | undefined): void {
  const all = [...named.values()].flat()
  if (shared !== undefined && all.includes(shared)) env.reject('CALLER_TOKENS must not hold INTERNAL_API_TOKEN')
  if (new Set(all).size < all.length) env.reject('CALLER_TOKENS must not give two services the same token')
  if ([...named.values()].some(({ length }) => length > MAX_TOKENS_EACH)) {
    env.reject(`CALLER_TOKENS must have at most ${MAX_TOKENS_EACH} tokens for a service`)
  }
}
