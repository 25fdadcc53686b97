import { parseMasterKeys, type EnvReader, type Environment, type MasterKeys } from '@gateway/service-kit'

export interface AuthTokenConfig {
  readonly environment: Environment
  readonly host: string
  readonly port: number
  readonly operatorPort: number
  readonly operatorToken: string
  readonly internalApiToken: string
  readonly mongoUrl: string
  readonly database: string
  readonly masterKeys: MasterKeys
  readonly signingKeyRotateAfterMs: number
  readonly logLevel: string
}

const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const
const HOUR_MS = 3_600_000
/** A key of fewer different bytes was typed, not drawn. */
const MIN_DISTINCT_BYTES = 12

export function readAuthTokenConfig(env: EnvReader): AuthTokenConfig {
  const config = {
    environment: env.environment(),
    host: env.text('HOST', '127.0.0.1'),
    port: env.port('PORT', 8101),
    operatorPort: env.port('OPERATOR_PORT', 8111),
    operatorToken: env.secret('OPERATOR_TOKEN'),
    internalApiToken: env.secret('INTERNAL_API_TOKEN'),
    mongoUrl: env.url('MONGO_URL', ['mongodb:', 'mongodb+srv:']),
    database: env.text('DATABASE', 'auth_token'),
    masterKeys: readMasterKeys(env),
    signingKeyRotateAfterMs: env.durationMs('SIGNING_KEY_ROTATE_AFTER', '30d'),
    logLevel: env.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
  }
  if (config.operatorToken !== '' && config.operatorToken === config.internalApiToken) {
    env.reject('OPERATOR_TOKEN must not be INTERNAL_API_TOKEN: services are no operators')
  }
  if (config.port !== 0 && config.port === config.operatorPort) env.reject('OPERATOR_PORT must not be PORT')
  if (!/^[A-Za-z0-9_-]{1,38}$/u.test(config.database)) env.reject('DATABASE must be letters, digits, _ or -')
  if (config.signingKeyRotateAfterMs < HOUR_MS) env.reject('SIGNING_KEY_ROTATE_AFTER must be at least 1h')
  return config
}

function readMasterKeys(env: EnvReader): MasterKeys {
  const text = env.text('MASTER_KEYS')
  if (text === '') return new Map()
  try {
    const keys = parseMasterKeys(text)
    if ([...keys.values()].some((key) => new Set(key).size < MIN_DISTINCT_BYTES)) env.reject('MASTER_KEYS must be random bytes')
    return keys
  } catch {
    env.reject('MASTER_KEYS must be <id>:<32 bytes in base64>, separated by commas, the current one first')
    return new Map()
  }
}
