/** The services' variables in a network of containers, where every service listens at `http://<its name>:8080`. */
import { choosePorts } from '@gateway-infra/system/ports'
import type { Secrets } from '@gateway-infra/local/secrets'
import { serviceEnvironment, type ServiceDefinition } from '@gateway-infra/local/services'

export const CA_IN_CONTAINER = '/etc/gateway/ca.crt'
export const AUTH_OPERATOR_PORT = 8111
const at = (service: string): string => `http://${service}:8080`

const URLS = {
  JWKS_URL: `${at('auth-token')}/internal/v1/jwks.json`,
  PUBLIC_URL: at('api-gateway'),
  AUTH_TOKEN_URL: at('auth-token'),
  ORDER_API_URL: at('order-api'),
  PAYMENT_STATUS_URL: at('payment-status'),
  CHECKOUT_URL: at('checkout'),
  WEBHOOK_DISPATCHER_URL: at('webhook-dispatcher'),
  LEDGER_URL: at('ledger'),
  NETWORK_URL: at('network-simulator'),
  NETWORK_SIMULATOR_URL: at('network-simulator'),
  CALLBACK_URL: `${at('api-gateway')}/network/v1/callbacks`,
}

/** Shorter intervals of repairs, which are minutes apart in production. */
const SOONER = { SWEEP_INTERVAL: '2s', SWEEP_OVERDUE: '10s', WEBHOOK_ALLOWED_HOSTS: 'host.docker.internal' }

export interface Engines {
  readonly mongoUrl: string
  readonly amqpUrl: string
}

/** The variables of one service: those of `npm start`, with the addresses of this network. */
export async function containerEnvironment(
  service: ServiceDefinition,
  secrets: Secrets,
  { mongoUrl, amqpUrl }: Engines,
): Promise<Record<string, string>> {
  const ports = await choosePorts({})
  const wiring = { ports, secrets, mongoUrl, amqpUrl, databasePrefix: '', amqpPrefix: '', caFile: CA_IN_CONTAINER }
  const local = Object.fromEntries(
    Object.entries(serviceEnvironment(service, wiring, {})).map(([name, value = '']) => [name, value]),
  )
  const urls = Object.fromEntries(Object.entries(URLS).filter(([name]) => name in local))
  return {
    ...local,
    ...urls,
    HOST: '0.0.0.0',
    PORT: '8080',
    RATE_LIMIT_ANONYMOUS_PER_SECOND: '0',
    RATE_LIMIT_PAGES_PER_SECOND: '0',
    ...SOONER,
  }
}
