import type { EnvReader, Environment } from '@gateway/service-kit'

export interface Config {
  readonly environment: Environment
  readonly host: string
  readonly port: number
  readonly logLevel: string
  readonly paymentStatusUrl: string
  readonly internalApiToken: string
  /** What makes a link unguessable; the same as order-api's. */
  readonly checkoutLinkKey: Buffer
}

export function readCheckoutConfig(env: EnvReader): Config {
  const environment = env.environment()
  return {
    environment,
    host: env.text('HOST', '127.0.0.1'),
    port: env.port('PORT', 8104),
    logLevel: env.text('LOG_LEVEL', 'info'),
    paymentStatusUrl: env.serviceUrl('PAYMENT_STATUS_URL', environment),
    internalApiToken: env.secret('INTERNAL_API_TOKEN'),
    checkoutLinkKey: env.key('CHECKOUT_LINK_KEY'),
  }
}
