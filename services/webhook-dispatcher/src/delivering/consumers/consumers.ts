import { refundStatusChangedReader, transactionStatusChangedReader, type Checker } from '@gateway/contracts'
import {
  consume,
  consumePartitions,
  handleAs,
  MAYBE_PUBLISHED_HEADER,
  type Broker,
  type Outcome,
  type PartitionConsumers,
  type Publisher,
  type Route,
  type Topology,
} from '@gateway/messaging'
import { isDatabaseFailure, type Log, type Stoppable } from '@gateway/service-kit'
import { handleMessage } from '@gateway/service-kit/tracing'
import type { WebhookEvent } from '../../deliveries/index.ts'
import { endpointIdIn, ownerOf } from '../../endpoints/index.ts'
import { makeParkMessage, recordDueMs, timesParked, type ParkMessage } from '../publishing/park-message.ts'
import { retryMessage } from '../publishing/retry-publisher.ts'
import type { DeliverFirst, DeliverRetry } from '../use-cases/deliver.ts'

export interface ConsumersOptions {
  readonly broker: Broker
  readonly publisher: Publisher
  readonly declared: Topology
  /** Of each queue. */
  readonly prefetch: number
  /** Of the queues of first attempts, at the start. */
  readonly partitions: number
  readonly deliverFirst: DeliverFirst
  readonly deliverRetry: DeliverRetry
  readonly log: Log
  readonly now: () => Date
}

export interface Consumers extends Stoppable {
  readonly firstAttempts: PartitionConsumers
  /** For each queue, when the oldest message that this replica holds was published; `undefined` when it holds none. */
  oldestPublishedAtMs(): { readonly queue: string; readonly atMs: number | undefined }[]
}

/** The share of the shutdown deadline that running deliveries get; the rest is for the parts that stop after the consumers. */
const DRAIN_SHARE = 0.7

/** One consumer for each queue, so that a backlog of retries or of refunds never delays the webhooks of payments. */
export function startConsumers(options: ConsumersOptions): Consumers {
  const { broker, publisher, declared, prefetch, partitions, deliverFirst, deliverRetry, log, now } = options
  const { parkRoutes } = declared
  const { name } = declared.queues.retries
  const parkTo = (route: (parkMs: number) => Route) => makeParkMessage(publisher, route, now)
  const shared = { prefetch, publisher, isTemporary: isDatabaseFailure, log }
  const ofPayments = firstAttempts(transactionStatusChangedReader, deliverFirst, parkTo(parkRoutes.firstAttempts))
  const ofRefunds = firstAttempts(refundStatusChangedReader, deliverFirst, parkTo(parkRoutes.refundAttempts))
  const queues = [
    { key: 'statusChanged', handlerOf: ofPayments },
    { key: 'refundChanged', handlerOf: ofRefunds },
  ] as const
  const first = consumePartitions(broker, { ...shared, topology: declared, queues, partitions })
  const handle = furtherAttempts(deliverRetry, parkTo(parkRoutes.retries))(name)
  const retries = consume(broker, { ...shared, queue: declared.queues.retries, handle })
  return {
    name: 'consumers',
    firstAttempts: first,
    oldestPublishedAtMs: () => [...first.oldestByQueue(), { queue: name, atMs: retries.oldestPublishedAtMs }],
    stop: async (deadlineMs) => {
      await Promise.all([first, retries].map((consumer) => consumer.stop({ deadlineMs: deadlineMs * DRAIN_SHARE })))
    },
  }
}

/** A status change → the first attempt of its webhook. */
function firstAttempts<E extends WebhookEvent>(reader: Checker<E>, deliverFirst: DeliverFirst, park: ParkMessage) {
  return (queue: string) =>
    handleAs(reader, (event, incoming, acknowledge) =>
      handleMessage<Outcome>({ ...incoming, correlationId: event.correlation_id }, queue, async () => {
        const mayBeRepeated = incoming.redelivered || incoming.headers[MAYBE_PUBLISHED_HEADER] === true
        const trigger = { mayBeRepeated, timesParked: timesParked(incoming.headers), acknowledge }
        const handled = await deliverFirst(event, trigger)
        if (handled !== 'done') await park(incoming, handled, mayBeRepeated)
        return 'ack'
      }),
    )
}

/** A retry message → one more attempt. */
function furtherAttempts(deliverRetry: DeliverRetry, park: ParkMessage) {
  return (queue: string) =>
    handleAs(retryMessage, ({ delivery_id: deliveryId, attempt, endpoint_id, url }, incoming, acknowledge) =>
      handleMessage<Outcome>(incoming, queue, async () => {
        const { headers } = incoming
        const trigger = { timesParked: timesParked(headers), recordDueMs: recordDueMs(headers), acknowledge }
        const endpointId = endpointIdIn(endpoint_id)
        const { merchant_id: merchantId } = ownerOf(endpointId)
        const handled = await deliverRetry({ deliveryId, merchantId, attempt, endpointId, url }, trigger)
        if (handled !== 'done') await park(incoming, handled)
        return 'ack'
      }),
    )
}
