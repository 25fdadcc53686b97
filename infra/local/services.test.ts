import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@gateway-infra/system/paths'
import { choosePorts } from '@gateway-infra/system/ports'
import { permissionDefinitions } from '@gateway/messaging'
import { connectorIn, serviceEnvironment, SERVICES, type ServiceDefinition, type ServiceName, type Wiring } from './services.ts'
import { secrets } from './test/secrets.ts'

const wiring: Wiring = {
  ports: await choosePorts({}),
  secrets,
  mongoUrl: 'mongodb://127.0.0.1:27117',
  amqpUrl: 'amqp://127.0.0.1:11672',
  databasePrefix: 'one_',
  amqpPrefix: 'one.',
  caFile: '/state/ca/ca.crt',
}

function find(name: ServiceName): ServiceDefinition {
  const service = SERVICES.find((candidate) => candidate.name === name)
  if (!service) throw new Error(`there is no ${name}`)
  return service
}

test('the wiring wins over the caller’s environment, which wins over local defaults', () => {
  const callers = { PORT: '1', MONGO_URL: 'mongodb://elsewhere', WEBHOOK_RETRY_DELAYS: '9s', LOG_LEVEL: 'debug' }

  expect(serviceEnvironment(find('webhook-dispatcher'), wiring, callers)).toMatchObject({
    PORT: '8105',
    MONGO_URL: 'mongodb://127.0.0.1:27117',
    DATABASE: 'one_webhook_dispatcher',
    AMQP_PREFIX: 'one.',
    WEBHOOK_RETRY_DELAYS: '9s',
    WEBHOOK_ALLOWED_HOSTS: 'localhost,127.0.0.1',
    LOG_LEVEL: 'debug',
  })
})

// Proves: local/start-names-its-connector
test('payment-status, checkout and order-api use the simulator, or the connector that NETWORK_URL names', () => {
  const networkUrls = (callers: NodeJS.ProcessEnv) =>
    (['payment-status', 'checkout', 'order-api'] as const).map(
      (name) => serviceEnvironment(find(name), wiring, callers)['NETWORK_URL'],
    )
  const simulator = `http://127.0.0.1:${wiring.ports['network-simulator']}`
  expect(networkUrls({})).toEqual([simulator, simulator, simulator])

  const connector = 'http://127.0.0.1:8095'
  expect(networkUrls({ NETWORK_URL: connector })).toEqual([connector, connector, connector])
  expect(connectorIn(wiring.ports, {})).toBe(`simulator at ${simulator}`)
  expect(connectorIn(wiring.ports, { NETWORK_URL: connector })).toMatch(
    /^your own at http:\/\/127\.0\.0\.1:8095 .*not the simulator$/u,
  )
})

test('every database has one owner', () => {
  const databases = SERVICES.map((service) => serviceEnvironment(service, wiring, {})['DATABASE']).filter(
    (name) => name !== undefined,
  )
  expect(new Set(databases).size).toBe(databases.length)
})

// Proves: api/internal-routes-know-their-callers
test("a service's own token is its own, and known to the services that it may call", () => {
  const variables = SERVICES.map((service) => [service.name, serviceEnvironment(service, wiring, {})] as const)
  expect(Object.fromEntries(variables.map(([name, env]) => [name, [env['SERVICE_TOKEN'], env['CALLER_TOKENS']]]))).toEqual({
    'api-gateway': ['apiGateway', undefined],
    'auth-token': [
      undefined,
      'api-gateway:apiGateway,payment-status:paymentStatus,webhook-dispatcher:webhookDispatcher,ledger:ledger',
    ],
    'order-api': [undefined, 'payment-status:paymentStatus'],
    'payment-status': [
      'paymentStatus',
      'checkout:checkout,webhook-dispatcher:webhookDispatcher,ledger:ledger,network-simulator:networkSimulator',
    ],
    checkout: ['checkout', undefined],
    'webhook-dispatcher': ['webhookDispatcher', 'ledger:ledger'],
    ledger: ['ledger', undefined],
    'network-simulator': ['networkSimulator', undefined],
  })
})

test('a secret goes only to those who need it', () => {
  const holders = (value: string): string[] =>
    SERVICES.filter((service) => Object.values(serviceEnvironment(service, wiring, {})).includes(value)).map(({ name }) => name)

  expect(holders(secrets.masterKeys)).toEqual(['auth-token', 'webhook-dispatcher'])
  expect(holders(secrets.authTokenOperatorToken)).toEqual(['auth-token'])
  expect(holders(secrets.payerHashKey)).toEqual(['ledger'])
  expect(holders(secrets.networkCallbackSecret)).toEqual(['payment-status', 'network-simulator'])
})

// Proves: broker/a-user-for-each-service
test('the file of permissions for operators is what the services need', () => {
  const file: unknown = JSON.parse(readFileSync(join(ROOT, 'infra/rabbitmq/permissions.json'), 'utf8'))
  expect(file).toEqual(permissionDefinitions())
})

// Proves: broker/a-user-for-each-service
test('on a broker with users of their own, each service gets its own password and no other', () => {
  const withUsers = { ...wiring, hasBrokerUsers: true }
  const urls = SERVICES.map((service) => [service.name, serviceEnvironment(service, withUsers, {})['AMQP_URL']] as const)
  expect(Object.fromEntries(urls.filter(([, url]) => url !== undefined))).toEqual({
    'order-api': 'amqp://order-api:orderApiBroker@127.0.0.1:11672',
    'payment-status': 'amqp://payment-status:paymentStatusBroker@127.0.0.1:11672',
    'webhook-dispatcher': 'amqp://webhook-dispatcher:webhookDispatcherBroker@127.0.0.1:11672',
    ledger: 'amqp://ledger:ledgerBroker@127.0.0.1:11672',
  })
})
