import type { BrokerHost } from './broker-host.ts'
import type { Fields } from './codec.ts'

/** What a method is answered. */
interface Reply {
  readonly method: string
  readonly fields?: Fields
}

/** Runs a method that declares, binds or removes something; `undefined` when it is none of these. */
export function declare(broker: BrokerHost, method: string, fields: Fields): Reply | undefined {
  const [queue, exchange] = [String(fields['queue']), String(fields['exchange'])]
  switch (method) {
    case 'ExchangeDeclare':
      broker.exchanges.declare(exchange, String(fields['type']))
      return { method: 'ExchangeDeclareOk' }
    case 'QueueDeclare': {
      const { name, messageCount, consumerCount } = broker.declareQueue(fields)
      return { method: 'QueueDeclareOk', fields: { queue: name, messageCount, consumerCount } }
    }
    case 'QueueBind':
      broker.exchanges.bind(broker.queue(queue).name, exchange, String(fields['routingKey']))
      return { method: 'QueueBindOk' }
    default:
      return undefined
  }
}
