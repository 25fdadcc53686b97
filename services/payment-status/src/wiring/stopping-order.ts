import type { Broker, Consumer } from '@gateway/messaging'
import type { OutboxRelay } from '@gateway/outbox'
import { stoppedInOrder, stoppedTogether, type Stoppable } from '@gateway/service-kit'
import type { Database } from '@gateway/service-kit/mongo'

/** Intake off, then HTTP and outbox beside the worker, whose calls of a slow network may take seconds; then the connections. */
export function inStoppingOrder(running: {
  consumer: Pick<Consumer, 'stop'>
  comparison: Stoppable
  worker: Stoppable
  http: Stoppable
  engines: { relay: Pick<OutboxRelay, 'stop'>; broker: Pick<Broker, 'close'>; database: Pick<Database, 'close'> }
}): Stoppable[] {
  const { consumer, comparison, worker, http, engines } = running
  const { relay, broker, database } = engines
  const outbox: Stoppable = { name: 'outbox', stop: (deadlineMs) => relay.stop({ deadlineMs }) }
  return [
    { name: 'consumer', stop: (deadlineMs) => consumer.stop({ deadlineMs }) },
    stoppedTogether(comparison, worker, stoppedInOrder(http, outbox)),
    { name: 'broker', stop: () => broker.close() },
    { name: 'database', stop: () => database.close() },
  ]
}
