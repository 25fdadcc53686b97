import { consume, type Broker, type Publisher, type Topology } from '@gateway/messaging'
import type { Log, Stoppable } from '@gateway/service-kit'
import { makePark } from '../publishing/park.ts'
import type { UseCases } from '../use-cases/wire.ts'
import { retriesConsumer } from './retries.ts'
import { statusChangedConsumer } from './status-changed.ts'

export interface ConsumersOptions {
  readonly broker: Broker
  readonly publisher: Publisher
  readonly declared: Topology
  /** Of each of the two. */
  readonly prefetch: number
  readonly useCases: Pick<UseCases, 'deliverFirst' | 'deliverRetry'>
  readonly log: Log
  readonly now: () => Date
}

export interface Consumers extends Stoppable {
  /** Of each queue, when the oldest message was published that this replica has in hand; `undefined` when it has none. */
  oldestPublishedAtMs(): { readonly queue: string; readonly atMs: number | undefined }[]
}

/** First attempts and retries apart, so that a heap of retries never delays what is new. */
export function startConsumers({ broker, publisher, declared, prefetch, useCases, log, now }: ConsumersOptions): Consumers {
  const { queues, parkRoutes } = declared
  const park = (route: typeof parkRoutes.retries) => makePark(publisher, route, now)
  const shared = { prefetch, publisher, log }
  const [first, retries] = [
    consume(broker, {
      ...shared,
      queue: queues.statusChanged,
      handle: statusChangedConsumer({
        deliverFirst: useCases.deliverFirst,
        park: park(parkRoutes.firstAttempts),
        queue: queues.statusChanged.name,
      }),
    }),
    consume(broker, {
      ...shared,
      queue: queues.retries,
      handle: retriesConsumer({
        deliverRetry: useCases.deliverRetry,
        park: park(parkRoutes.retries),
        queue: queues.retries.name,
      }),
    }),
  ]
  return {
    name: 'consumers',
    oldestPublishedAtMs: () => [
      { queue: queues.statusChanged.name, atMs: first.oldestPublishedAtMs },
      { queue: queues.retries.name, atMs: retries.oldestPublishedAtMs },
    ],
    stop: async (deadlineMs) => {
      // What is on its way gets most of the time; the rest is for what stops after this.
      await Promise.all([first, retries].map((consumer) => consumer.stop({ deadlineMs: deadlineMs * 0.7 })))
    },
  }
}
