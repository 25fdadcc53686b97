/** The services of the local stack and the environment of each. */
import type { PortName, Ports } from '@gateway-infra/system/ports'
import { callersOf, type GatewayService } from '@gateway/contracts'
import type { BrokerService } from '@gateway/contracts'
import type { Secrets } from './secrets.ts'

/** The values from which the environments below are made. */
export interface Wiring {
  readonly ports: Ports
  readonly secrets: Secrets
  readonly mongoUrl: string
  readonly amqpUrl: string
  /** Each service has its own user on this broker (messaging, broker-users.ts). */
  readonly hasBrokerUsers?: boolean
  /** Prefix of every database name, so that several stacks can share one server. */
  readonly databasePrefix: string
  /** Prefix of every exchange and queue. */
  readonly amqpPrefix: string
  readonly caFile: string
}

export interface ServiceDefinition {
  readonly name: ServiceName
  /** Variables that the stack determines. */
  env(wiring: Wiring): Readonly<Record<string, string>>
  /** Defaults for one machine; the caller's environment overrides them. */
  defaults?(wiring: Wiring): Readonly<Record<string, string>>
}

export type ServiceName = Extract<
  PortName,
  | 'auth-token'
  | 'order-api'
  | 'payment-status'
  | 'checkout'
  | 'webhook-dispatcher'
  | 'ledger'
  | 'network-simulator'
  | 'api-gateway'
>

export const SERVICES: readonly ServiceDefinition[] = [
  {
    name: 'auth-token',
    env: (wiring) => ({
      ...database(wiring, 'auth-token'),
      MASTER_KEYS: wiring.secrets.masterKeys,
      OPERATOR_PORT: String(wiring.ports['auth-token-operator']),
      OPERATOR_TOKEN: wiring.secrets.authTokenOperatorToken,
    }),
  },
  {
    name: 'order-api',
    env: (wiring) => ({
      ...database(wiring, 'order-api'),
      ...broker(wiring, 'order-api'),
      CHECKOUT_LINK_KEY: wiring.secrets.checkoutLinkKey,
      NETWORK_API_KEY: wiring.secrets.networkApiKey,
    }),
  },
  {
    name: 'payment-status',
    env: (wiring) => ({
      ...database(wiring, 'payment-status'),
      ...broker(wiring, 'payment-status'),
      CHECKOUT_LINK_KEY: wiring.secrets.checkoutLinkKey,
      NETWORK_API_KEY: wiring.secrets.networkApiKey,
      NETWORK_CALLBACK_SECRET: wiring.secrets.networkCallbackSecret,
    }),
    defaults: () => ({
      ENQUIRY_DELAYS: '1s,2s,4s',
      ENQUIRY_GRACE: '1s',
      ENQUIRY_GIVE_UP: '30s',
      FINAL_ENQUIRY_DELAYS: '10s,30s',
      REVERSAL_DELAYS: '1s,2s,4s,8s',
      REFUND_DELAYS: '1s,2s,4s,8s',
    }),
  },
  {
    name: 'checkout',
    env: (wiring) => ({
      CHECKOUT_LINK_KEY: wiring.secrets.checkoutLinkKey,
      NETWORK_API_KEY: wiring.secrets.networkApiKey,
    }),
  },
  {
    name: 'webhook-dispatcher',
    env: (wiring) => ({
      ...database(wiring, 'webhook-dispatcher'),
      ...broker(wiring, 'webhook-dispatcher'),
      MASTER_KEYS: wiring.secrets.masterKeys,
      OPERATOR_PORT: String(wiring.ports['webhook-dispatcher-operator']),
      OPERATOR_TOKEN: wiring.secrets.webhookOperatorToken,
      WEBHOOK_CA_FILE: wiring.caFile,
    }),
    defaults: () => ({
      WEBHOOK_ALLOWED_HOSTS: 'localhost,127.0.0.1',
      WEBHOOK_PORTS: 'any',
      WEBHOOK_RETRY_DELAYS: '1s,2s,4s,8s',
      // In proportion to these delays: a developer who tries retries should not open the circuit breaker after a few refusals.
      WEBHOOK_BREAKER_WINDOW: '20',
      WEBHOOK_BREAKER_MIN_RESULTS: '20',
      WEBHOOK_BREAKER_FIRST_OPEN: '1s',
      WEBHOOK_BREAKER_MAX_OPEN: '2s',
    }),
  },
  {
    name: 'ledger',
    env: (wiring) => ({
      ...database(wiring, 'ledger'),
      ...broker(wiring, 'ledger'),
      PAYER_HASH_KEY: wiring.secrets.payerHashKey,
      OPERATOR_PORT: String(wiring.ports['ledger-operator']),
      OPERATOR_TOKEN: wiring.secrets.ledgerOperatorToken,
    }),
  },
  {
    name: 'network-simulator',
    env: (wiring) => ({
      ...database(wiring, 'network-simulator'),
      NETWORK_API_KEY: wiring.secrets.networkApiKey,
      NETWORK_CALLBACK_SECRET: wiring.secrets.networkCallbackSecret,
      // The bank's pages are on the simulator's own port.
      PUBLIC_URL: serviceUrl(wiring.ports, 'network-simulator'),
    }),
    defaults: ({ ports }) => ({
      CALLBACK_URL: `${serviceUrl(ports, 'api-gateway')}/network/v1/callbacks`,
      RATE_LIMIT_PAGES_PER_SECOND: '500',
    }),
  },
  {
    name: 'api-gateway',
    env: (wiring) => ({ NETWORK_SIMULATOR_URL: serviceUrl(wiring.ports, 'network-simulator') }),
    // All callers on one machine share one address.
    defaults: () => ({ RATE_LIMIT_ANONYMOUS_PER_SECOND: '500', MAX_CONNECTIONS_PER_ADDRESS: '0' }),
  },
]

/** Every port on which the services listen. */
export const SERVICE_PORTS: readonly PortName[] = [
  ...SERVICES.map(({ name }) => name),
  'auth-token-operator',
  'webhook-dispatcher-operator',
  'ledger-operator',
]

/** There is no load balancer here, so services may stop at once. `NETWORK_URL=<address> npm start` attaches a connector of your own. */
const localDefaults = ({ ports }: Wiring) => ({ SHUTDOWN_DELAY: '0s', NETWORK_URL: serviceUrl(ports, 'network-simulator') })

/** Which connector the services use. */
export function connectorIn(ports: Ports, { NETWORK_URL: own }: NodeJS.ProcessEnv): string {
  return own === undefined
    ? `simulator at ${serviceUrl(ports, 'network-simulator')}`
    : `your own at ${own} (NETWORK_URL), not the simulator`
}

/** The environment of one service: local defaults, overridden by the caller's environment, overridden by the stack's variables. */
export function serviceEnvironment(service: ServiceDefinition, wiring: Wiring, callers: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const defaults = { ...localDefaults(wiring), ...service.defaults?.(wiring) }
  return { ...defaults, ...callers, ...common(service.name, wiring), ...service.env(wiring) }
}

/** The address of a service or its operator API on this machine. */
export function serviceUrl(ports: Ports, name: PortName): string {
  return `http://127.0.0.1:${ports[name]}`
}

function common(name: ServiceName, { ports, secrets }: Wiring): Record<string, string> {
  return {
    ENVIRONMENT: 'sandbox',
    HOST: '127.0.0.1',
    PORT: String(ports[name]),
    ...internalAccess(name, secrets),
    JWKS_URL: `${serviceUrl(ports, 'auth-token')}/internal/v1/jwks.json`,
    PUBLIC_URL: serviceUrl(ports, 'api-gateway'),
    AUTH_TOKEN_URL: serviceUrl(ports, 'auth-token'),
    ORDER_API_URL: serviceUrl(ports, 'order-api'),
    PAYMENT_STATUS_URL: serviceUrl(ports, 'payment-status'),
    CHECKOUT_URL: serviceUrl(ports, 'checkout'),
    WEBHOOK_DISPATCHER_URL: serviceUrl(ports, 'webhook-dispatcher'),
    LEDGER_URL: serviceUrl(ports, 'ledger'),
  }
}

/** For each service that calls internal routes, the name of the secret with its token. */
const TOKENS: Readonly<Partial<Record<GatewayService, keyof Secrets>>> = {
  'api-gateway': 'apiGatewayToken',
  'payment-status': 'paymentStatusToken',
  checkout: 'checkoutToken',
  'webhook-dispatcher': 'webhookDispatcherToken',
  ledger: 'ledgerToken',
  'network-simulator': 'networkSimulatorToken',
}

/** The token that a service sends, and the tokens that it accepts. */
function internalAccess(service: ServiceName, secrets: Secrets): Record<string, string> {
  const tokenOf = (name: GatewayService): string => {
    const key = TOKENS[name]
    return key === undefined ? '' : secrets[key]
  }
  const callers = callersOf(service).map((name) => `${name}:${tokenOf(name)}`)
  return {
    ...(tokenOf(service) !== '' && { SERVICE_TOKEN: tokenOf(service) }),
    ...(callers.length > 0 && { CALLER_TOKENS: callers.join() }),
  }
}

/** The name of a service's database on the shared server. */
export function databaseName(prefix: string, service: ServiceName): string {
  return prefix + service.replaceAll('-', '_')
}

function database({ mongoUrl, databasePrefix }: Wiring, service: ServiceName): Record<string, string> {
  return { MONGO_URL: mongoUrl, DATABASE: databaseName(databasePrefix, service) }
}

/** The password of each service's user on the broker. */
export function brokerPasswords(secrets: Secrets): Readonly<Record<BrokerService, string>> {
  return {
    'order-api': secrets.orderApiBrokerPassword,
    'payment-status': secrets.paymentStatusBrokerPassword,
    'webhook-dispatcher': secrets.webhookDispatcherBrokerPassword,
    ledger: secrets.ledgerBrokerPassword,
  }
}

function broker(wiring: Wiring, service: BrokerService): Record<string, string> {
  const { amqpUrl, amqpPrefix, secrets, hasBrokerUsers = false } = wiring
  return {
    AMQP_URL: hasBrokerUsers ? amqpUrlAs(service, amqpUrl, brokerPasswords(secrets)[service]) : amqpUrl,
    AMQP_PREFIX: amqpPrefix,
  }
}

/** The same broker, as another user. */
export function amqpUrlAs(user: string, amqpUrl: string, password: string): string {
  const url = new URL(amqpUrl)
  url.username = user
  url.password = password
  return url.href.replace(/\/$/u, '')
}
