import { createSecretKey } from 'node:crypto'
import { readSigningSecret, type SigningKey } from '@gateway/contracts'
import { readDatabase, readServer, type DatabaseConfig, type EnvReader, type ServerConfig } from '@gateway/service-kit'

export interface Config extends ServerConfig, DatabaseConfig {
  /** Where shoppers' browsers find the bank's pages. */
  readonly publicUrl: string
  /** The gateway's `POST /network/v1/callbacks`. */
  readonly callbackUrl: string
  readonly callbackKey: SigningKey
  readonly apiKey: string
  readonly paymentStatusUrl: string
  /** Where the keys are that merchants' internal tokens are verified with. */
  readonly jwksUrl: string
  readonly internalApiToken: string
  /** How long a shopper may take on the page of a bank or an issuer. */
  readonly pageTimeoutMs: number
}

/** The simulator makes money out of nothing: it never starts in production. */
export function readSimulatorConfig(env: EnvReader): Config {
  const server = readServer(env, 8090)
  if (server.environment === 'production') {
    env.reject('ENVIRONMENT is production, and the network simulator runs in the sandbox only: use a network connector')
  }
  return {
    ...server,
    ...readDatabase(env, 'network_simulator'),
    publicUrl: env.url('PUBLIC_URL', ['http:', 'https:']),
    callbackUrl: env.url('CALLBACK_URL', ['http:', 'https:']),
    callbackKey: readCallbackKey(env),
    apiKey: env.secret('NETWORK_API_KEY'),
    paymentStatusUrl: env.url('PAYMENT_STATUS_URL', ['http:', 'https:']),
    jwksUrl: env.url('JWKS_URL', ['http:', 'https:']),
    internalApiToken: env.secret('INTERNAL_API_TOKEN'),
    pageTimeoutMs: env.durationMs('BANK_PAGE_TIMEOUT', '5m'),
  }
}

function readCallbackKey(env: EnvReader): SigningKey {
  const secret = env.text('NETWORK_CALLBACK_SECRET')
  try {
    return readSigningSecret(secret)
  } catch {
    if (secret !== '') env.reject('NETWORK_CALLBACK_SECRET must be whsec_ and at least 24 bytes in base64')
    // Never used: the configuration is refused.
    return { key: createSecretKey(Buffer.alloc(1)) }
  }
}
