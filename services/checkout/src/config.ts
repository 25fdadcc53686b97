import type { KeyObject } from 'node:crypto'
import {
  readCheckoutLinkKeys,
  readNetworkApiKey,
  readServer,
  readServiceToken,
  type EnvReader,
  type ServerConfig,
} from '@gateway/service-kit'

export interface Config extends ServerConfig {
  readonly paymentStatusUrl: string
  /** Sent to other services. */
  readonly serviceToken: string
  /** The network connector (contracts, network.ts). */
  readonly networkUrl: string
  /** Bearer token sent to the network connector. */
  readonly networkApiKey: string
  /** The gateway's public address; banks send shoppers back to it. */
  readonly publicUrl: string
  /** Key of the MAC in every checkout link; order-api must use the same key. */
  readonly checkoutLinkKeys: readonly [KeyObject, ...KeyObject[]]
}

export function readCheckoutConfig(env: EnvReader): Config {
  return {
    ...readServer(env, 8104),
    paymentStatusUrl: env.serviceUrl('PAYMENT_STATUS_URL', 'Address of payment-status'),
    serviceToken: readServiceToken(env),
    networkUrl: env.serviceUrl('NETWORK_URL', 'Address of the network connector'),
    networkApiKey: readNetworkApiKey(env),
    publicUrl: env.serviceUrl('PUBLIC_URL', 'Public address of the gateway'),
    checkoutLinkKeys: readCheckoutLinkKeys(env),
  }
}
