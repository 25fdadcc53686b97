import { isGatewayService, type GatewayService } from '@gateway/contracts'
import type { EnvReader } from './reader.ts'
import { isPlaceholder } from './source.ts'

/** The tokens that this service accepts on its internal routes, of each calling service. */
export type CallerTokens = ReadonlyMap<GatewayService, readonly string[]>
/** Each operator's name with the tokens that are accepted for it. */
export type OperatorTokens = ReadonlyMap<string, readonly string[]>

/** The name of the operator that uses `OPERATOR_TOKEN`. */
const UNNAMED = 'operator'
/** Two, so that a token can be replaced without a gap. */
const MAX_TOKENS_EACH = 2
const PAIR = /^([^:]{1,40}):([^\s:,]{32,256})$/u

/** The token that this service sends to others: `SERVICE_TOKEN`. */
export function readServiceToken(env: EnvReader): string {
  return env.secret('SERVICE_TOKEN', 'Bearer token of this service, which it sends to other services')
}

/** Reads `CALLER_TOKENS`. `optional`: when it is not set, the service refuses every internal call. */
export function readCallers(env: EnvReader, { optional = false } = {}): CallerTokens {
  const form = '`<service>:<at least 32 random characters>`, separated by commas'
  const meaning = 'Services that may call this one, with their SERVICE_TOKEN; a name may occur twice while its token is replaced'
  const entries = env.secretList('CALLER_TOKENS', form, meaning, { required: !optional })
  return tokensByName(env, { variable: 'CALLER_TOKENS', entries, form, isName: isGatewayService })
}

/** `OPERATOR_TOKEN` and `OPERATOR_TOKENS`. No token of a service (`ofServices`) is accepted from operators. */
export function readOperatorTokens(env: EnvReader, ofServices: readonly string[] = []): OperatorTokens {
  const unnamed = env.secret('OPERATOR_TOKEN', 'Bearer token of operators. Must differ from the tokens of services')
  const form = '`<name>:<at least 32 random characters>`, separated by commas'
  const meaning =
    'Operators with tokens of their own, so that the audit names them; a name may occur twice while its token is replaced'
  const entries = env.secretList('OPERATOR_TOKENS', form, meaning, { required: false })
  const known: OperatorTokens = new Map(unnamed === '' ? [] : [[UNNAMED, [unnamed]]])
  const rule = { form: `${form}; no name is "${UNNAMED}" or "merchant"`, isName: isOperatorName }
  const tokens = tokensByName(env, { variable: 'OPERATOR_TOKENS', entries, ...rule }, known)
  if (ofServices.some((token) => tokensOf(tokens).includes(token))) {
    env.reject(
      'OPERATOR_TOKEN and OPERATOR_TOKENS must not hold the token of a service: services must not be able to act as operators',
    )
  }
  return tokens
}

/** Every token that is accepted from a service or an operator. */
export function tokensOf(tokens: ReadonlyMap<string, readonly string[]>): string[] {
  return [...tokens.values()].flat()
}

function isOperatorName(name: string | undefined): name is string {
  return name !== undefined && /^[a-z][a-z0-9._-]{0,39}$/u.test(name) && name !== UNNAMED && name !== 'merchant'
}

interface TokenList<Name extends string> {
  readonly variable: string
  readonly entries: readonly string[]
  readonly form: string
  readonly isName: (name: string | undefined) => name is Name
}

/** Reads pairs of `<name>:<token>`, in addition to the known ones. */
function tokensByName<Name extends string>(
  env: EnvReader,
  { variable, entries, form, isName }: TokenList<Name>,
  known: ReadonlyMap<Name, readonly string[]> = new Map(),
): ReadonlyMap<Name, readonly string[]> {
  const tokens = new Map(known)
  for (const entry of entries) {
    const [, name, token] = PAIR.exec(entry) ?? []
    if (!isName(name) || token === undefined) {
      env.reject(`${variable} must be ${form}`)
      continue
    }
    if (isPlaceholder(token)) env.rejectInProduction(`${variable} must be random`)
    tokens.set(name, [...(tokens.get(name) ?? []), token])
  }
  const all = tokensOf(tokens)
  if (new Set(all).size < all.length) env.reject(`${variable} must not give two names the same token`)
  if ([...tokens.values()].some(({ length }) => length > MAX_TOKENS_EACH)) {
    env.reject(`${variable} must have at most ${MAX_TOKENS_EACH} tokens for a name`)
  }
  return tokens
}
