import {
  readCheckoutLinkKeys,
  readNetworkApiKey,
  readNetworkUsesProxy,
  readServer,
  readServiceToken,
  type EnvReader,
} from '@gateway/service-kit'

export type Config = ReturnType<typeof readCheckoutConfig>

/** The configuration of `checkout`, read from its environment. */
export function readCheckoutConfig(env: EnvReader) {
  return {
    ...readServer(env, 8104),
    paymentStatusUrl: env.serviceUrl('PAYMENT_STATUS_URL', 'Address of payment-status'),
    /** Sent to other services. */
    serviceToken: readServiceToken(env),
    networkUrl: env.serviceUrl('NETWORK_URL', 'Address of the network connector'),
    networkApiKey: readNetworkApiKey(env),
    networkUsesProxy: readNetworkUsesProxy(env),
    publicUrl: env.serviceUrl('PUBLIC_URL', 'Public address of the gateway'),
    /** Keys of the MAC in every checkout link; order-api must use the same ones. */
    checkoutLinkKeys: readCheckoutLinkKeys(env),
  }
}
