import { consume, type Broker, type Publisher, type Topology } from '@gateway/messaging'
import { isDatabaseFailure, type Log, type Stoppable } from '@gateway/service-kit'
import { makeDelayMessage } from '../publishing/delay-message.ts'
import type { DeliverFirst } from '../use-cases/deliver-first.ts'
import type { DeliverRetry } from '../use-cases/deliver-retry.ts'
import { retriesConsumer } from './retries.ts'
import { refundChangedConsumer, statusChangedConsumer } from './status-changed.ts'

export interface ConsumersOptions {
  readonly broker: Broker
  readonly publisher: Publisher
  readonly declared: Topology
  /** Of each of the consumers. */
  readonly prefetch: number
  readonly deliverFirst: DeliverFirst
  readonly deliverRetry: DeliverRetry
  readonly log: Log
  readonly now: () => Date
}

export interface Consumers extends Stoppable {
  /** For each queue, when the oldest message that this replica holds was published; `undefined` when it holds none. */
  oldestPublishedAtMs(): { readonly queue: string; readonly atMs: number | undefined }[]
}

/** The share of the shutdown deadline that running deliveries get; the rest is for the parts that stop after the consumers. */
const DRAIN_SHARE = 0.7

/** One consumer for each queue, so that a backlog of retries or of refunds never delays the webhooks of payments. */
export function startConsumers(options: ConsumersOptions): Consumers {
  const { broker, publisher, declared, prefetch, deliverFirst, deliverRetry, log, now } = options
  const { queues, parkRoutes } = declared
  const shared = { prefetch, publisher, isTemporary: isDatabaseFailure, log }
  const first = consume(broker, {
    ...shared,
    queue: queues.statusChanged,
    handle: statusChangedConsumer({
      deliverFirst,
      delayMessage: makeDelayMessage(publisher, parkRoutes.firstAttempts, now),
      queue: queues.statusChanged.name,
    }),
  })
  const refunds = consume(broker, {
    ...shared,
    queue: queues.refundChanged,
    handle: refundChangedConsumer({
      deliverFirst,
      delayMessage: makeDelayMessage(publisher, parkRoutes.refundAttempts, now),
      queue: queues.refundChanged.name,
    }),
  })
  const retries = consume(broker, {
    ...shared,
    queue: queues.retries,
    handle: retriesConsumer({
      deliverRetry,
      delayMessage: makeDelayMessage(publisher, parkRoutes.retries, now),
      queue: queues.retries.name,
    }),
  })
  return {
    name: 'consumers',
    oldestPublishedAtMs: () => [
      { queue: queues.statusChanged.name, atMs: first.oldestPublishedAtMs },
      { queue: queues.refundChanged.name, atMs: refunds.oldestPublishedAtMs },
      { queue: queues.retries.name, atMs: retries.oldestPublishedAtMs },
    ],
    stop: async (deadlineMs) => {
      await Promise.all([first, refunds, retries].map((consumer) => consumer.stop({ deadlineMs: deadlineMs * DRAIN_SHARE })))
    },
  }
}
