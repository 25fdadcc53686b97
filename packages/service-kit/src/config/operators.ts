import type { EnvReader } from './reader.ts'
import { isPlaceholder } from './secret.ts'

/** Each operator's name with the tokens that are accepted for it. */
export type OperatorTokens = ReadonlyMap<string, readonly string[]>

/** The name of whoever uses `OPERATOR_TOKEN`. */
const UNNAMED = 'operator'
/** Two, so that a token can be replaced without a gap. */
const MAX_TOKENS_EACH = 2
const TYPE = '`<name>:<at least 32 random characters>`, separated by commas'
const PAIR = /^([a-z][a-z0-9._-]{0,39}):([^\s:,]{32,256})$/u

/** `OPERATOR_TOKEN` and `OPERATOR_TOKENS`. No token of a service (`ofServices`) is accepted from operators. */
export function readOperatorTokens(env: EnvReader, ofServices: readonly string[] = []): OperatorTokens {
  const unnamed = env.secret('OPERATOR_TOKEN', 'Bearer token of operators. Must differ from the tokens of services')
  const meaning =
    'Operators with tokens of their own, so that the audit names them; a name may occur twice while its token is replaced'
  const tokens = new Map(unnamed === '' ? [] : [[UNNAMED, [unnamed]]])
  for (const entry of env.optionalSecretList('OPERATOR_TOKENS', TYPE, meaning)) {
    const [, name, token] = PAIR.exec(entry) ?? []
    if (name === undefined || token === undefined || name === UNNAMED || name === 'merchant') {
      env.reject(`OPERATOR_TOKENS must be ${TYPE}; no name is "${UNNAMED}" or "merchant"`)
      continue
    }
    if (isPlaceholder(token)) env.rejectInProduction('OPERATOR_TOKENS must be random')
    tokens.set(name, [...(tokens.get(name) ?? []), token])
  }
  refuseShared(env, tokens, ofServices)
  return tokens
}

function refuseShared(env: EnvReader, tokens: OperatorTokens, ofServices: readonly string[]): void {
  const all = [...tokens.values()].flat()
  if (ofServices.some((token) => all.includes(token))) {
    env.reject(
      'OPERATOR_TOKEN and OPERATOR_TOKENS must not hold the token of a service: services must not be able to act as operators',
    )
  }
  if (new Set(all).size < all.length) env.reject('OPERATOR_TOKENS must not give two operators one token')
  if ([...tokens.values()].some(({ length }) => length > MAX_TOKENS_EACH)) {
    env.reject(`OPERATOR_TOKENS must have at most ${MAX_TOKENS_EACH} tokens for a name`)
  }
}
