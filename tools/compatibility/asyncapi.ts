/** docs/asyncapi.json: the events between services, described by the schemas that validate them. */
import * as contracts from '@gateway/contracts'

const { EVENT_PUBLISHERS, EXCHANGES, WORK_QUEUES } = contracts

const EVENTS = {
  'order.created': {
    schema: contracts.orderCreatedSchema,
    summary: 'A merchant has created an order: what payment-status needs to open its transaction.',
  },
  'transaction.status-changed': {
    schema: contracts.transactionStatusChangedSchema,
    summary: 'A transaction has changed its status: all that its webhook says, and the whole payment.',
  },
  'refund.status-changed': {
    schema: contracts.refundStatusChangedSchema,
    summary: 'A refund has changed its status: all that its webhook says, and the whole payment.',
  },
  'reversal.status-changed': {
    schema: contracts.reversalStatusChangedSchema,
    summary: 'Money that must not be kept goes back, or has gone back; with the whole payment.',
  },
} as const satisfies Readonly<Record<Name, object>>
type Name = contracts.EventType
const NAMES = Object.keys(EVENTS) as Name[]

const DESCRIPTION =
  'Delivered at least once, in no order: consumers deduplicate by the id of the event. Publishers send only the fields of the ' +
  'schema; consumers ignore fields that they do not know, so that a version can grow by optional fields. Any other change ' +
  'is a new version of the schema, beside the old one (docs/operations/deploying.md). With several partitions, the routing key of an ' +
  'event outside partition 0 ends with the number of its partition, and so does the queue (docs/operations/partitions.md).'

export function asyncApi(): object {
  const { name: exchange, type } = EXCHANGES.events
  const byName = (describe: (name: Name) => object) => Object.fromEntries(NAMES.map((name) => [name, describe(name)]))
  return {
    asyncapi: '3.0.0',
    info: { title: 'Payment gateway: events between services', version: '1', description: DESCRIPTION },
    defaultContentType: 'application/json',
    servers: { broker: { host: '{host}', protocol: 'amqp', variables: { host: { description: 'as AMQP_URL says' } } } },
    channels: byName((name) => ({
      address: name,
      description: EVENTS[name].summary,
      messages: { [name]: { $ref: `#/components/messages/${name}` } },
      bindings: { amqp: { is: 'routingKey', exchange: { name: exchange, type, durable: true, autoDelete: false, vhost: '/' } } },
    })),
    operations: Object.fromEntries(NAMES.flatMap(operationsOf)),
    components: {
      messages: byName((name) => {
        const { summary, schema } = EVENTS[name]
        const { $id: title, ...payload } = schema
        return { name, title, summary, contentType: 'application/json', payload }
      }),
    },
  }
}

function operationsOf(name: Name): [string, object][] {
  const publisher = EVENT_PUBLISHERS[name]
  const queues = Object.values(WORK_QUEUES).filter(({ events }) => events.some((event) => event === name))
  const channel = { $ref: `#/channels/${name}` }
  const bindings = { amqp: { deliveryMode: 2, mandatory: contracts.isConsumed(name), bindingVersion: '0.3.0' } }
  return [
    [`${publisher} publishes ${name}`, { action: 'send', channel, bindings }],
    ...queues.map(({ consumer, name: queue }): [string, object] => [
      `${consumer} consumes ${name}`,
      { action: 'receive', channel, description: `From the quorum queue ${queue}.` },
    ]),
  ]
}
