import type { World } from '../kernel/world.ts'
import type { BrokerObserver } from './broker-options.ts'
import type { Fields } from './codec.ts'
import type { Exchanges } from './exchanges.ts'
import type { Message } from './message.ts'
import type { Queue } from './queue.ts'
import type { StoreResult } from './storage.ts'

/** The broker as its connections and channels see it. */
export interface BrokerHost {
  readonly world: World
  readonly observer: BrokerObserver
  readonly exchanges: Exchanges
  /** True while a memory or disk alarm stops publishing. */
  readonly isBlocked: boolean
  /** Throws when the queue exists with other arguments, or is asked for and does not exist. */
  declareQueue(fields: Fields): Queue
  /** Throws when there is no queue of this name. */
  queue(name: string): Queue
  /** Counts deliveries that are not acknowledged. */
  countUnacked(queue: Queue, by: 1 | -1): void
  /** The queues that get a message. Throws when its exchange does not exist. */
  route(to: Pick<Message, 'exchange' | 'routingKey'>): string[]
  /** Stores a client's message. `done` hears when every queue has answered; at once when there is none. */
  publish(client: string, message: Message, done: (result: StoreResult | 'unrouted') => void): string[]
}
