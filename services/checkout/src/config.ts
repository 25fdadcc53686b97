import type { KeyObject } from 'node:crypto'
import {
  readCheckoutLinkKey,
  readInternalApiToken,
  readNetworkApiKey,
  readServer,
  type EnvReader,
  type ServerConfig,
} from '@gateway/service-kit'

export interface Config extends ServerConfig {
  readonly paymentStatusUrl: string
  readonly internalApiToken: string
  /** The network's connector (contracts, network.ts), and the key that it asks for. */
  readonly networkUrl: string
  readonly networkApiKey: string
  /** The gateway's address as shoppers see it: banks send them back there. */
  readonly publicUrl: string
  /** What makes a link unguessable; the same as order-api's. */
  readonly checkoutLinkKey: KeyObject
}

export function readCheckoutConfig(env: EnvReader): Config {
  return {
    ...readServer(env, 8104),
    paymentStatusUrl: env.serviceUrl('PAYMENT_STATUS_URL', 'where payment-status is'),
    internalApiToken: readInternalApiToken(env),
    networkUrl: env.serviceUrl('NETWORK_URL', "where the network's connector is"),
    networkApiKey: readNetworkApiKey(env),
    publicUrl: env.serviceUrl('PUBLIC_URL', "the gateway's address as shoppers see it"),
    checkoutLinkKey: readCheckoutLinkKey(env),
  }
}
