import {
  readCallers,
  readDatabase,
  readMasterKeys,
  readOperatorTokens,
  tokensOf,
  readServer,
  type EnvReader,
} from '@gateway/service-kit'

/** The default of `DATABASE`. */
export const DATABASE_NAME = 'auth_token'

export type AuthTokenConfig = Readonly<ReturnType<typeof readAuthTokenConfig>>

const HOUR_MS = 3_600_000

export function readAuthTokenConfig(env: EnvReader) {
  const callers = readCallers(env)
  const config = {
    ...readServer(env, 8101),
    ...readDatabase(env, DATABASE_NAME),
    operatorPort: env.port('OPERATOR_PORT', 8111, 'Port of the operators API'),
    operators: readOperatorTokens(env, tokensOf(callers)),
    callers,
    masterKeys: readMasterKeys(env),
    signingKeyRotateAfterMs: env.durationMs(
      'SIGNING_KEY_ROTATE_AFTER',
      '30d',
      'Age at which the signing key of internal tokens is replaced; at least 1h',
    ),
  }
  if (config.port !== 0 && config.port === config.operatorPort) env.reject('OPERATOR_PORT must not be PORT')
  if (config.signingKeyRotateAfterMs < HOUR_MS) env.reject('SIGNING_KEY_ROTATE_AFTER must be at least 1h')
  return config
}
