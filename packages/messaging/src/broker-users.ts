import { createHash } from 'node:crypto'
import { BROKER_SERVICES, DELAYING_SERVICE, EVENT_PUBLISHERS, type BrokerService } from '@gateway/contracts'
import { declarationsOf, ledgerTopology } from './topology.ts'

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
  const all = ledgerTopology(prefix)
  const { exchanges, queues } = declarationsOf(service, all)
  const isDelaying = service === DELAYING_SERVICE
  // A pattern where the names of queues contain configured delays.
  const ours = isDelaying ? [`${prefix}${service}.*`] : queues.map(({ name }) => name)
  const declared = [...exchanges.map(({ name }) => name), ...ours]
  const { events, retry, dead } = all.exchanges
  const published = Object.entries(EVENT_PUBLISHERS).flatMap(([event, publisher]) => (publisher === service ? [event] : []))
  const publishesTo = [...(published.length > 0 ? [events.name] : []), ...(isDelaying ? [retry.name] : [])]
  const bound = queues.flatMap(({ bindings }) => bindings).filter(({ exchange }) => exchange === events.name)
  return {
    configure: anyOf(declared),
    // RabbitMQ requires write permission on a queue to bind it, and on `dead` to declare a queue that dead-letters there.
    write: anyOf([...publishesTo, dead.name, ...ours]),
    read: anyOf(declared),
    events: { write: anyOf(published), read: anyOf(bound.map(({ routingKey }) => routingKey)) },
  }
}

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
