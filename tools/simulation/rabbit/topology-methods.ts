import type { BrokerHost } from './broker-host.ts'
import type { Fields } from './codec.ts'
import { AmqpError, Unsupported } from './errors.ts'

/** What a method is answered. */
export interface Reply {
  readonly method: string
  readonly fields?: Fields
}

const NOT_ON_DEFAULT = ['QueueBind', 'QueueUnbind', 'ExchangeDeclare', 'ExchangeDelete']

/** Runs a method that declares, binds or removes something; `undefined` when it is none of these. */
export function declare(broker: BrokerHost, method: string, fields: Fields): Reply | undefined {
  const [queue, exchange] = [String(fields['queue']), String(fields['exchange'])]
  if (exchange === '' && NOT_ON_DEFAULT.includes(method))
    throw new AmqpError(403, 'ACCESS_REFUSED - operation not permitted on the default exchange')
  switch (method) {
    case 'ExchangeDeclare':
      if (fields['passive'] === true) broker.exchanges.get(exchange)
      else broker.exchanges.declare(exchange, String(fields['type']))
      return { method: 'ExchangeDeclareOk' }
    case 'ExchangeDelete':
      broker.exchanges.remove(exchange)
      return { method: 'ExchangeDeleteOk' }
    case 'QueueDeclare': {
      const { name, messageCount, consumerCount } = broker.declareQueue(fields)
      return { method: 'QueueDeclareOk', fields: { queue: name, messageCount, consumerCount } }
    }
    case 'QueueBind':
      broker.exchanges.bind(broker.queue(queue).name, exchange, String(fields['routingKey']))
      return { method: 'QueueBindOk' }
    case 'QueueUnbind':
      broker.exchanges.unbind(queue, exchange, String(fields['routingKey']))
      return { method: 'QueueUnbindOk' }
    case 'QueuePurge':
      return { method: 'QueuePurgeOk', fields: { messageCount: broker.queue(queue).purge() } }
    case 'QueueDelete':
      if (fields['ifUnused'] === true || fields['ifEmpty'] === true)
        throw new Unsupported('if-unused and if-empty, as quorum queues do not')
      return { method: 'QueueDeleteOk', fields: { messageCount: broker.deleteQueue(queue) } }
    default:
      return undefined
  }
}
