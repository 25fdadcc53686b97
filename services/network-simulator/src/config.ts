import type { SigningKey } from '@gateway/contracts'
import {
  readCallbackKeys,
  readDatabase,
  readInternalApiToken,
  readJwksUrl,
  readNetworkApiKey,
  readServer,
  type DatabaseConfig,
  type EnvReader,
  type ServerConfig,
} from '@gateway/service-kit'

/** Unless `DATABASE` says otherwise. */
export const DATABASE_NAME = 'network_simulator'

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
  const [callbackKey] = readCallbackKeys(env, 1)
  return {
    ...server,
    ...readDatabase(env, DATABASE_NAME),
    publicUrl: env.serviceUrl(
      'PUBLIC_URL',
      "the simulator's own address as shoppers' browsers see it: the banks' pages are there",
    ),
    callbackUrl: env.serviceUrl('CALLBACK_URL', "the gateway's `/network/v1/callbacks`"),
    callbackKey,
    apiKey: readNetworkApiKey(env),
    paymentStatusUrl: env.serviceUrl('PAYMENT_STATUS_URL', 'where payment-status is'),
    jwksUrl: readJwksUrl(env),
    internalApiToken: readInternalApiToken(env),
    pageTimeoutMs: env.durationMs('BANK_PAGE_TIMEOUT', '5m', 'how long a shopper may take on the page of a bank or an issuer'),
  }
}
