import {
  readCallbackKeys,
  readDatabase,
  readJwksUrl,
  readNetworkApiKey,
  readServer,
  readServiceToken,
  type EnvReader,
} from '@gateway/service-kit'
import { readTrustedProxies } from '@gateway/service-kit/limits'

/** Default of `DATABASE`. */
export const DATABASE_NAME = 'network_simulator'

export type Config = ReturnType<typeof readSimulatorConfig>

/** Reads the configuration. Production is refused, because the simulator's payments move no money. */
export function readSimulatorConfig(env: EnvReader) {
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
    /** Proxies in front of the simulator, whose `x-forwarded-for` is believed. */
    trustedProxies: readTrustedProxies(env),
    paymentStatusUrl: env.serviceUrl('PAYMENT_STATUS_URL', 'Address of payment-status'),
    jwksUrl: readJwksUrl(env),
    /** Sent to other services. */
    serviceToken: readServiceToken(env),
    pageTimeoutMs: env.durationMs('BANK_PAGE_TIMEOUT', '5m', 'How long the page of a bank or an issuer can be used'),
    upiCollect:
      env.oneOf('UPI_COLLECT', ['true', 'false'], 'false', 'Whether a UPI payment may start with a VPA, as before 2026-02-28') ===
      'true',
  }
}
