import type { SigningKey } from '@gateway/contracts'
import {
  readCallbackKeys,
  readDatabase,
  readJwksUrl,
  readNetworkApiKey,
  readServer,
  readServiceToken,
  readSharedToken,
  type DatabaseConfig,
  type EnvReader,
  type ServerConfig,
} from '@gateway/service-kit'
import { readTrustedProxies } from '@gateway/service-kit/limits'

/** Default of `DATABASE`. */
export const DATABASE_NAME = 'network_simulator'

export interface Config extends ServerConfig, DatabaseConfig {
  /** The simulator's public address, where browsers open the pages of banks and issuers. */
  readonly publicUrl: string
  /** The gateway's `POST /network/v1/callbacks`. */
  readonly callbackUrl: string
  readonly callbackKey: SigningKey
  readonly apiKey: string
  /** Of one client address; 0 means no limit. */
  readonly pagesPerSecond: number
  /** Proxies in front of the simulator, whose `x-forwarded-for` is believed. */
  readonly trustedProxies: readonly string[]
  readonly paymentStatusUrl: string
  /** Address of the keys that verify merchants' internal tokens. */
  readonly jwksUrl: string
  /** Sent to other services. */
  readonly serviceToken: string
  /** During an upgrade, internal tokens for all services are valid here. */
  readonly acceptsAnyService: boolean
  /** How long the page of a bank or an issuer can be used. */
  readonly pageTimeoutMs: number
  /** Whether a UPI payment may start with a VPA. */
  readonly upiCollect: boolean
}

/** Reads the configuration. Production is refused, because the simulator's payments move no money. */
export function readSimulatorConfig(env: EnvReader): Config {
  const server = readServer(env, 8090)
  if (server.environment === 'production') {
    env.reject('ENVIRONMENT is production, but the network simulator runs in the sandbox only; use a network connector')
  }
  const [callbackKey] = readCallbackKeys(env, 1)
  return {
    ...server,
    ...readDatabase(env, DATABASE_NAME),
    publicUrl: env.serviceUrl('PUBLIC_URL', 'Public address of the simulator; banks and issuers have their pages there'),
    callbackUrl: env.serviceUrl('CALLBACK_URL', "Address of the gateway's `/network/v1/callbacks`"),
    callbackKey,
    apiKey: readNetworkApiKey(env),
    pagesPerSecond: env.integer(
      'RATE_LIMIT_PAGES_PER_SECOND',
      20,
      "Requests to the sandbox's pages that one client address may send per second; 0 means no limit",
      { max: 1_000_000, unit: 'requests per second and replica' },
    ),
    trustedProxies: readTrustedProxies(env),
    paymentStatusUrl: env.serviceUrl('PAYMENT_STATUS_URL', 'Address of payment-status'),
    jwksUrl: readJwksUrl(env),
    serviceToken: readServiceToken(env),
    acceptsAnyService: readSharedToken(env) !== undefined,
    pageTimeoutMs: env.durationMs('BANK_PAGE_TIMEOUT', '5m', 'How long the page of a bank or an issuer can be used'),
    upiCollect:
      env.oneOf('UPI_COLLECT', ['true', 'false'], 'false', 'Whether a UPI payment may start with a VPA, as before 2026-02-28') ===
      'true',
  }
}
