import { eventTopology } from '@gateway/messaging'
import { orderCreatedSchema, transactionStatusChangedSchema, type JsonSchema } from '@gateway/contracts'

interface EventType {
  readonly name: string
  readonly publisher: string
  readonly consumer: string
  readonly queue: string
  readonly schema: JsonSchema
  readonly says: string
}

const { exchanges, queues } = eventTopology('')

const EVENTS: readonly EventType[] = [
  {
    name: 'order.created',
    publisher: 'order-api',
    consumer: 'payment-status',
    queue: queues.orderCreated.name,
    schema: orderCreatedSchema,
    says: 'A merchant has created an order: what payment-status needs to open its transaction.',
  },
  {
    name: 'transaction.status-changed',
    publisher: 'payment-status',
    consumer: 'webhook-dispatcher',
    queue: queues.statusChanged.name,
    schema: transactionStatusChangedSchema,
    says: 'A transaction has changed its status: all that a webhook says.',
  },
]

/** The events between services as an AsyncAPI 3 document, made of the schemas that they are validated with. */
export function asyncApi(): object {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Payment gateway: events between services',
      version: '1',
      description:
        'Delivered at least once, in no order: consumers deduplicate by the id of the event. Publishers send only the fields of the ' +
        'schema; consumers ignore fields that they do not know, so that a version can grow by optional fields. Any other change ' +
        'is a new version of the schema, beside the old one (docs/operations/deploying.md).',
    },
    defaultContentType: 'application/json',
    servers: { broker: { host: '{host}', protocol: 'amqp', variables: { host: { description: 'as AMQP_URL says' } } } },
    channels: Object.fromEntries(EVENTS.map((event) => [event.name, channelOf(event)])),
    operations: Object.fromEntries(EVENTS.flatMap(operationsOf)),
    components: { messages: Object.fromEntries(EVENTS.map((event) => [event.name, messageOf(event)])) },
  }
}

function channelOf({ name, says }: EventType): object {
  const { name: exchange, type } = exchanges.events
  return {
    address: name,
    description: says,
    messages: { [name]: { $ref: `#/components/messages/${name}` } },
    bindings: { amqp: { is: 'routingKey', exchange: { name: exchange, type, durable: true, autoDelete: false, vhost: '/' } } },
  }
}

function operationsOf({ name, publisher, consumer, queue }: EventType): [string, object][] {
  const channel = { $ref: `#/channels/${name}` }
  return [
    [
      `${publisher} publishes ${name}`,
      { action: 'send', channel, bindings: { amqp: { deliveryMode: 2, mandatory: true, bindingVersion: '0.3.0' } } },
    ],
    [`${consumer} consumes ${name}`, { action: 'receive', channel, description: `From the quorum queue ${queue}.` }],
  ]
}

function messageOf({ name, schema, says }: EventType): object {
  const { $id, ...payload } = schema
  return { name, title: String($id), summary: says, contentType: 'application/json', payload }
}
