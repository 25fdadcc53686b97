/** docs/asyncapi.json: the events between services, described by the schemas that validate them. */
import { eventTopology, isConsumed } from '@gateway/messaging'
import {
  orderCreatedSchema,
  refundStatusChangedSchema,
  reversalStatusChangedSchema,
  transactionStatusChangedSchema,
} from '@gateway/contracts'

const { exchanges, queues } = eventTopology('')

const EVENTS = [
  {
    name: 'order.created',
    publisher: 'order-api',
    consumer: 'payment-status',
    queue: queues.orderCreated.name,
    schema: orderCreatedSchema,
    summary: 'A merchant has created an order: what payment-status needs to open its transaction.',
  },
  {
    name: 'transaction.status-changed',
    publisher: 'payment-status',
    consumer: 'webhook-dispatcher',
    queue: queues.statusChanged.name,
    schema: transactionStatusChangedSchema,
    summary: 'A transaction has changed its status: all that a webhook says.',
  },
  {
    name: 'refund.status-changed',
    publisher: 'payment-status',
    consumer: 'webhook-dispatcher',
    queue: queues.refundChanged.name,
    schema: refundStatusChangedSchema,
    summary: 'A refund has changed its status: all that its webhook says.',
  },
  {
    name: 'reversal.status-changed',
    publisher: 'payment-status',
    schema: reversalStatusChangedSchema,
    summary: 'Money that must not be kept goes back, or has gone back. No service consumes it yet, so no queue is bound.',
  },
] as const
type EventType = (typeof EVENTS)[number]

const DESCRIPTION =
  'Delivered at least once, in no order: consumers deduplicate by the id of the event. Publishers send only the fields of the ' +
  'schema; consumers ignore fields that they do not know, so that a version can grow by optional fields. Any other change ' +
  'is a new version of the schema, beside the old one (docs/operations/deploying.md).'

/** An AsyncAPI 3 document. */
export function asyncApi(): object {
  const { name: exchange, type } = exchanges.events
  const byName = (describe: (event: EventType) => object) =>
    Object.fromEntries(EVENTS.map((event) => [event.name, describe(event)]))
  return {
    asyncapi: '3.0.0',
    info: { title: 'Payment gateway: events between services', version: '1', description: DESCRIPTION },
    defaultContentType: 'application/json',
    servers: { broker: { host: '{host}', protocol: 'amqp', variables: { host: { description: 'as AMQP_URL says' } } } },
    channels: byName(({ name, summary: description }) => ({
      address: name,
      description,
      messages: { [name]: { $ref: `#/components/messages/${name}` } },
      bindings: { amqp: { is: 'routingKey', exchange: { name: exchange, type, durable: true, autoDelete: false, vhost: '/' } } },
    })),
    operations: Object.fromEntries(EVENTS.flatMap(operationsOf)),
    components: {
      messages: byName(({ name, schema: { $id: title, ...payload }, summary }) => {
        return { name, title, summary, contentType: 'application/json', payload }
      }),
    },
  }
}

function operationsOf(event: EventType): [string, object][] {
  const { name, publisher } = event
  const channel = { $ref: `#/channels/${name}` }
  const bindings = { amqp: { deliveryMode: 2, mandatory: isConsumed(name), bindingVersion: '0.3.0' } }
  const sends: [string, object] = [`${publisher} publishes ${name}`, { action: 'send', channel, bindings }]
  if (!('consumer' in event)) return [sends]
  const description = `From the quorum queue ${event.queue}.`
  return [sends, [`${event.consumer} consumes ${name}`, { action: 'receive', channel, description }]]
}
