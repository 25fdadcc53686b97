import { readServer, type EnvReader, type ServerConfig } from '@gateway/service-kit'

export interface Config extends ServerConfig {
  readonly paymentStatusUrl: string
  readonly internalApiToken: string
  /** What makes a link unguessable; the same as order-api's. */
  readonly checkoutLinkKey: Buffer
}

export function readCheckoutConfig(env: EnvReader): Config {
  const server = readServer(env, 8104)
  return {
    ...server,
    paymentStatusUrl: env.serviceUrl('PAYMENT_STATUS_URL', server.environment),
    internalApiToken: env.secret('INTERNAL_API_TOKEN'),
    checkoutLinkKey: env.key('CHECKOUT_LINK_KEY'),
  }
}
