import { createHash } from 'node:crypto'

/** The services that use the broker. Each one is a separate user. */
export const BROKER_SERVICES = ['order-api', 'payment-status', 'webhook-dispatcher', 'ledger'] as const
export type BrokerService = (typeof BROKER_SERVICES)[number]

interface Access {
  /** The exchanges and queues that the service declares, as patterns without the stack's prefix. */
  readonly declares: readonly string[]
  /** The exchanges that it publishes to. Every service also dead-letters to `dead`. */
  readonly publishesTo: readonly string[]
  /** The events that it publishes. */
  readonly events: readonly string[]
  /** The events that the queues it declares are bound to. */
  readonly boundTo: readonly string[]
}

/**
 * What each service may do on the broker. Its permissions are generated from this table. A publisher also declares the queues that
 * receive its events, so that it never publishes an event before the consumer's queue exists.
 */
const ACCESS: Readonly<Record<BrokerService, Access>> = {
  'order-api': {
    declares: ['events', 'dead', 'payment-status.dead', 'payment-status.order-created'],
    publishesTo: ['events'],
    events: ['order.created'],
    boundTo: ['order.created'],
  },
  'payment-status': {
    declares: [
      'events',
      'webhook.retry',
      'dead',
      'payment-status.dead',
      'payment-status.order-created',
      'webhook-dispatcher.dead',
      'webhook-dispatcher.status-changed',
      'webhook-dispatcher.refund-changed',
    ],
    publishesTo: ['events'],
    events: ['transaction.status-changed', 'reversal.status-changed', 'refund.status-changed'],
    boundTo: ['order.created', 'transaction.status-changed', 'refund.status-changed'],
  },
  'webhook-dispatcher': {
    // A pattern, because the names of its queues contain the configured delays.
    declares: ['events', 'webhook.retry', 'dead', 'webhook-dispatcher.*'],
    publishesTo: ['webhook.retry'],
    events: [],
    boundTo: ['transaction.status-changed', 'refund.status-changed'],
  },
  ledger: {
    declares: ['events', 'dead', 'ledger.dead', '~ledger.events'],
    publishesTo: [],
    events: [],
    boundTo: ['transaction.status-changed', 'reversal.status-changed', 'refund.status-changed'],
  },
}

/** Regular expressions, as RabbitMQ compares them with names of exchanges and queues, and with routing keys. */
interface BrokerPermissions {
  readonly configure: string
  readonly write: string
  readonly read: string
  /** For the exchange of events. */
  readonly events: { readonly write: string; readonly read: string }
}

/** @param prefix of every exchange and queue, as in `topology` */
function permissionsOf(service: BrokerService, prefix: string): BrokerPermissions {
  const { declares, publishesTo, events, boundTo } = ACCESS[service]
  const names = (list: readonly string[]): string => anyOf(list.map((name) => prefix + name))
  const queues = declares.filter((name) => !EXCHANGES.includes(name))
  return {
    configure: names(declares),
    // RabbitMQ requires write permission on a queue to bind it, and on `dead` to declare a queue that dead-letters there.
    write: names([...new Set([...publishesTo, 'dead', ...queues])]),
    read: names(declares),
    events: { write: anyOf(events), read: anyOf(boundTo) },
  }
}

const EXCHANGES: readonly string[] = ['events', 'webhook.retry', 'dead']

/** The pattern of an empty list matches only an empty routing key, which no event has. */
function anyOf(names: readonly string[]): string {
  return `^(${names.map((name) => name.replaceAll('.', '\\.').replaceAll('*', '.+')).join('|')})$`
}

interface Scope {
  readonly virtualHost?: string
  /** Of every exchange and queue, as in `topology`. */
  readonly prefix?: string
}

/**
 * What the services' users may do, in RabbitMQ's format of definitions (`rabbitmqctl import_definitions`, `load_definitions`).
 * `infra/rabbitmq/permissions.json` is the result for a broker that only the gateway uses. It contains the exchange `events`, because
 * RabbitMQ refuses topic permissions for an exchange that does not exist.
 */
export function permissionDefinitions({ virtualHost: vhost = '/', prefix = '' }: Scope = {}) {
  const name = `${prefix}events`
  return {
    exchanges: [{ vhost, name, type: 'topic', durable: true, auto_delete: false, internal: false, arguments: {} }],
    permissions: BROKER_SERVICES.map((service) => {
      const { configure, write, read } = permissionsOf(service, prefix)
      return { user: service, vhost, configure, write, read }
    }),
    topic_permissions: BROKER_SERVICES.map((service) => {
      const { write, read } = permissionsOf(service, prefix).events
      return { user: service, vhost, exchange: name, write, read }
    }),
  }
}

export interface DefinitionsOptions extends Scope {
  readonly passwords: Readonly<Record<BrokerService, string>>
  /** Another user with every permission, for operators' tools. */
  readonly administrator: { readonly name: string; readonly password: string }
  readonly randomBytes: (length: number) => Buffer
}

/** The same with the users themselves, for a broker that loads them when it starts. */
export function brokerDefinitions({ passwords, administrator, randomBytes, ...scope }: DefinitionsOptions) {
  const user = (name: string, password: string, tags: readonly string[] = []) => ({
    name,
    password_hash: passwordHash(password, randomBytes(SALT_BYTES)),
    hashing_algorithm: 'rabbit_password_hashing_sha256',
    tags,
  })
  const { virtualHost: vhost = '/' } = scope
  const all = '.*'
  const { permissions, ...others } = permissionDefinitions(scope)
  return {
    ...others,
    vhosts: [{ name: vhost }],
    users: [
      ...BROKER_SERVICES.map((service) => user(service, passwords[service])),
      user(administrator.name, administrator.password, ['administrator']),
    ],
    permissions: [...permissions, { user: administrator.name, vhost, configure: all, write: all, read: all }],
  }
}

const SALT_BYTES = 4

/** RabbitMQ's hash of a password: the salt, then SHA-256 of salt and password, in base64. */
function passwordHash(password: string, salt: Buffer): string {
  const digest = createHash('sha256').update(salt).update(password).digest()
  return Buffer.concat([salt, digest]).toString('base64')
}
