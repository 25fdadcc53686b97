import { readSigningSecret, type SigningKey } from '@gateway/contracts'
import type { EnvReader } from '@gateway/service-kit'

export interface Config {
  readonly host: string
  readonly port: number
  readonly logLevel: string
  readonly mongoUrl: string
  readonly database: string
  /** Where shoppers' browsers find the bank's pages. */
  readonly publicUrl: string
  /** The gateway's `POST /network/v1/callbacks`. */
  readonly callbackUrl: string
  readonly callbackKey: SigningKey
  readonly apiKey: string
  readonly paymentStatusUrl: string
  readonly internalApiToken: string
}

/** The simulator makes money out of nothing: it never starts in production. */
export function readSimulatorConfig(env: EnvReader): Config {
  const environment = env.environment()
  if (environment === 'production') {
    env.reject('ENVIRONMENT is production, and the network simulator runs in the sandbox only: use a network connector')
  }
  return {
    host: env.text('HOST', '127.0.0.1'),
    port: env.port('PORT', 8090),
    logLevel: env.text('LOG_LEVEL', 'info'),
    mongoUrl: env.url('MONGO_URL', ['mongodb:', 'mongodb+srv:']),
    database: env.text('DATABASE', 'network_simulator'),
    publicUrl: env.url('PUBLIC_URL', ['http:', 'https:']),
    callbackUrl: env.url('CALLBACK_URL', ['http:', 'https:']),
    callbackKey: readCallbackKey(env),
    apiKey: env.secret('NETWORK_API_KEY'),
    paymentStatusUrl: env.url('PAYMENT_STATUS_URL', ['http:', 'https:']),
    internalApiToken: env.secret('INTERNAL_API_TOKEN'),
  }
}

function readCallbackKey(env: EnvReader): SigningKey {
  const secret = env.text('NETWORK_CALLBACK_SECRET')
  try {
    return readSigningSecret(secret)
  } catch {
    if (secret !== '') env.reject('NETWORK_CALLBACK_SECRET must be whsec_ and at least 24 bytes in base64')
    return { bytes: Buffer.alloc(0) }
  }
}
