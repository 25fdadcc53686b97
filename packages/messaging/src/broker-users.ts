import { createHash } from 'node:crypto'
import { BROKER_SERVICES, DELAYING_SERVICE, EVENT_PUBLISHERS, inPartition, type BrokerService } from '@gateway/contracts'
import { declarationsOf, eventTopology, isPublisher } from './topology.ts'

/** Regular expressions, as RabbitMQ compares them with names of exchanges and queues, and with routing keys. */
interface BrokerPermissions {
  readonly configure: string
  readonly write: string
  readonly read: string
  /** For the two exchanges that events pass. */
  readonly topics: readonly { readonly exchange: string; readonly write: string; readonly read: string }[]
}

/** Partition 1 stands for every partition after the first. */
const TWO_PARTITIONS = { consumed: 2, open: 2 }

/** @param prefix of every exchange and queue, as in `topology` */
function permissionsOf(service: BrokerService, prefix: string): BrokerPermissions {
  const all = eventTopology(prefix)
  const { exchanges, queues } = declarationsOf(service, all, TWO_PARTITIONS)
  const isDelaying = service === DELAYING_SERVICE
  // A pattern where the names of queues contain configured delays.
  const ours = isDelaying ? [`${exactly(`${prefix}${service}.`)}.+`] : queues.map(({ name }) => inEveryPartition(name))
  const declared = [...exchanges.map(({ name }) => exactly(name)), ...ours]
  const { events, partitions, retry, dead } = all.exchanges
  const published = Object.entries(EVENT_PUBLISHERS).flatMap(([event, publisher]) => (publisher === service ? [event] : []))
  // To bind an exchange takes write permission on it; nobody publishes to that of the partitions, which is internal.
  const publishesTo = [...(isPublisher(service) ? [events, partitions] : []), ...(isDelaying ? [retry] : []), dead]
  const readFrom = (exchange: string): string =>
    anyOf(
      [...queues, ...exchanges]
        .flatMap(({ bindings = [] }) => bindings)
        .filter((from) => from.exchange === exchange)
        .map(({ routingKey }) => inEveryPartition(routingKey)),
    )
  return {
    configure: anyOf(declared),
    // RabbitMQ requires write permission on a queue to bind it, and on `dead` to declare a queue that dead-letters there.
    write: anyOf([...publishesTo.map(({ name }) => exactly(name)), ...ours]),
    read: anyOf(declared),
    topics: [
      {
        exchange: events.name,
        write: anyOf(published.flatMap((event) => [event, inPartition(event, 1)].map(inEveryPartition))),
        read: readFrom(events.name),
      },
      { exchange: partitions.name, write: anyOf([]), read: readFrom(partitions.name) },
    ],
  }
}

function exactly(name: string): string {
  return name.replaceAll(/[.*]/gu, String.raw`\$&`)
}

/** A name of partition 1 stands for the same name in every partition but the first. */
function inEveryPartition(name: string): string {
  return name.endsWith('.1') ? String.raw`${exactly(name.slice(0, -2))}\.\d+` : exactly(name)
}

/** The pattern of an empty list matches only an empty name or routing key, which nothing has. */
function anyOf(patterns: readonly string[]): string {
  return `^(${patterns.join('|')})$`
}

interface Scope {
  readonly virtualHost?: string
  /** Of every exchange and queue, as in `topology`. */
  readonly prefix?: string
}

/**
 * What the services' users may do, in RabbitMQ's format of definitions (`rabbitmqctl import_definitions`, `load_definitions`).
 * `infra/rabbitmq/permissions.json` is the result for a broker that only the gateway uses. It contains the exchanges of events, because
 * RabbitMQ refuses topic permissions for an exchange that does not exist.
 */
export function permissionDefinitions({ virtualHost: vhost = '/', prefix = '' }: Scope = {}) {
  const { events, partitions } = eventTopology(prefix).exchanges
  const users = BROKER_SERVICES.map((user) => ({ user, ...permissionsOf(user, prefix) }))
  return {
    exchanges: [events, partitions].map(({ name, type, internal = false }) => {
      return { vhost, name, type, durable: true, auto_delete: false, internal, arguments: {} }
    }),
    permissions: users.map(({ user, configure, write, read }) => ({ user, vhost, configure, write, read })),
    topic_permissions: users.flatMap(({ user, topics }) => topics.map((topic) => ({ user, vhost, ...topic }))),
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
