import { readServer, type EnvReader, type ServerConfig } from '@gateway/service-kit'

export interface Config extends ServerConfig {
  readonly paymentStatusUrl: string
  readonly internalApiToken: string
  /** The network's connector (contracts, network.ts), and the key that it asks for. */
  readonly networkUrl: string
  readonly networkApiKey: string
  /** The gateway's address as shoppers see it: banks send them back there. */
  readonly publicUrl: string
  /** What makes a link unguessable; the same as order-api's. */
  readonly checkoutLinkKey: Buffer
}

export function readCheckoutConfig(env: EnvReader): Config {
  const server = readServer(env, 8104)
  return {
    ...server,
    paymentStatusUrl: env.serviceUrl('PAYMENT_STATUS_URL', server.environment),
    internalApiToken: env.secret('INTERNAL_API_TOKEN'),
    networkUrl: env.serviceUrl('NETWORK_URL', server.environment),
    networkApiKey: env.secret('NETWORK_API_KEY'),
    publicUrl: env.serviceUrl('PUBLIC_URL', server.environment),
    checkoutLinkKey: env.key('CHECKOUT_LINK_KEY'),
  }
}
