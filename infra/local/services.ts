/** The services of the local stack and the environment of each. */
import type { PortName, Ports } from '@gateway-infra/system/ports'
import { callersOf, type BrokerService, type GatewayService } from '@gateway/contracts'
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
  /** Variables with a secret of the stack. */
  readonly secrets: Readonly<Record<string, keyof Secrets>>
  /** Further variables that the stack determines. */
  env?(wiring: Wiring): Readonly<Record<string, string>>
  /** Defaults for one machine; the caller's environment overrides them. */
  defaults?(wiring: Wiring): Readonly<Record<string, string>>
}

export type ServiceName = GatewayService

const CHECKOUT_LINKS = { CHECKOUT_LINK_KEY: 'checkoutLinkKey', NETWORK_API_KEY: 'networkApiKey' } as const

export const SERVICES: readonly ServiceDefinition[] = [
  { name: 'auth-token', secrets: { MASTER_KEYS: 'masterKeys', OPERATOR_TOKEN: 'authTokenOperatorToken' } },
  { name: 'order-api', secrets: CHECKOUT_LINKS },
  {
    name: 'payment-status',
    secrets: { ...CHECKOUT_LINKS, NETWORK_CALLBACK_SECRET: 'networkCallbackSecret' },
    defaults: () => ({
      ENQUIRY_DELAYS: '1s,2s,4s',
      ENQUIRY_GRACE: '1s',
      ENQUIRY_GIVE_UP: '30s',
      FINAL_ENQUIRY_DELAYS: '10s,30s',
      REVERSAL_DELAYS: '1s,2s,4s,8s',
      REFUND_DELAYS: '1s,2s,4s,8s',
    }),
  },
  { name: 'checkout', secrets: CHECKOUT_LINKS },
  {
    name: 'webhook-dispatcher',
    secrets: { MASTER_KEYS: 'masterKeys', OPERATOR_TOKEN: 'webhookOperatorToken' },
    env: ({ caFile }) => ({ WEBHOOK_CA_FILE: caFile }),
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
  { name: 'ledger', secrets: { PAYER_HASH_KEY: 'payerHashKey', OPERATOR_TOKEN: 'ledgerOperatorToken' } },
  {
    name: 'network-simulator',
    secrets: { NETWORK_API_KEY: 'networkApiKey', NETWORK_CALLBACK_SECRET: 'networkCallbackSecret' },
    // The bank's pages are on the simulator's own port.
    env: ({ ports }) => ({ PUBLIC_URL: serviceUrl(ports, 'network-simulator') }),
    defaults: ({ ports }) => ({
      CALLBACK_URL: `${serviceUrl(ports, 'api-gateway')}/network/v1/callbacks`,
      RATE_LIMIT_PAGES_PER_SECOND: '500',
    }),
  },
  {
    name: 'api-gateway',
    secrets: {},
    env: ({ ports }) => ({ NETWORK_SIMULATOR_URL: serviceUrl(ports, 'network-simulator') }),
    // All callers on one machine share one address.
    defaults: () => ({ RATE_LIMIT_ANONYMOUS_PER_SECOND: '500', MAX_CONNECTIONS_PER_ADDRESS: '0' }),
  },
]

/** Services that store nothing. */
const WITHOUT_DATABASE: readonly ServiceName[] = ['checkout', 'api-gateway']

const OPERATOR_PORTS = ['auth-token-operator', 'webhook-dispatcher-operator', 'ledger-operator'] as const

/** Every port on which the services listen. */
export const SERVICE_PORTS: readonly PortName[] = [
  ...SERVICES.map(({ name }) => name),
  ...SERVICES.flatMap(({ name }) => operatorPortOf(name) ?? []),
]

/** The port of a service's API for operators; `undefined` when it has none. */
export function operatorPortOf(service: ServiceName): PortName | undefined {
  return OPERATOR_PORTS.find((port) => port === `${service}-operator`)
}

/** Which connector the services use. */
export function connectorIn(ports: Ports, { NETWORK_URL: own }: NodeJS.ProcessEnv): string {
  if (own !== undefined) return `your own at ${own} (NETWORK_URL), not the simulator`
  return `simulator at ${serviceUrl(ports, 'network-simulator')}`
}

/** There is no load balancer here, so services may stop at once. `NETWORK_URL=<address> npm start` attaches a connector of your own. */
const localDefaults = ({ ports }: Wiring) => ({ SHUTDOWN_DELAY: '0s', NETWORK_URL: serviceUrl(ports, 'network-simulator') })

/** The environment of one service: local defaults, overridden by the caller's environment, overridden by the stack's variables. */
export function serviceEnvironment(service: ServiceDefinition, wiring: Wiring, callers: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { name, secrets } = service
  const defaults = { ...localDefaults(wiring), ...service.defaults?.(wiring) }
  const own = Object.fromEntries(Object.entries(secrets).map(([variable, secret]) => [variable, wiring.secrets[secret]]))
  return { ...defaults, ...callers, ...common(name, wiring), ...engines(name, wiring), ...own, ...service.env?.(wiring) }
}

/** The address of a service or its operator API on this machine. */
export function serviceUrl(ports: Ports, name: PortName): string {
  return `http://127.0.0.1:${ports[name]}`
}

function common(name: ServiceName, { ports, secrets }: Wiring): Record<string, string> {
  const operatorPort = operatorPortOf(name)
  return {
    ENVIRONMENT: 'sandbox',
    HOST: '127.0.0.1',
    PORT: String(ports[name]),
    ...(operatorPort && { OPERATOR_PORT: String(ports[operatorPort]) }),
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

/** The password of each service's user on the broker. */
export function brokerPasswords(secrets: Secrets): Readonly<Record<BrokerService, string>> {
  return {
    'order-api': secrets.orderApiBrokerPassword,
    'payment-status': secrets.paymentStatusBrokerPassword,
    'webhook-dispatcher': secrets.webhookDispatcherBrokerPassword,
    ledger: secrets.ledgerBrokerPassword,
  }
}

/** A service's database, and its broker with its own user. */
function engines(service: ServiceName, wiring: Wiring): Record<string, string> {
  const { mongoUrl, databasePrefix, amqpUrl, amqpPrefix: AMQP_PREFIX, secrets, hasBrokerUsers = false } = wiring
  const database = { MONGO_URL: mongoUrl, DATABASE: databaseName(databasePrefix, service) }
  const password = Object.entries(brokerPasswords(secrets)).find(([name]) => name === service)?.[1]
  return {
    ...(!WITHOUT_DATABASE.includes(service) && database),
    ...(password && { AMQP_URL: hasBrokerUsers ? amqpUrlAs(service, amqpUrl, password) : amqpUrl, AMQP_PREFIX }),
  }
}

/** The same broker, as another user. */
export function amqpUrlAs(user: string, amqpUrl: string, password: string): string {
  const url = new URL(amqpUrl)
  url.username = user
  url.password = password
  return url.href.replace(/\/$/u, '')
}
