/**
 * Everything that the gateway has on the broker, in one table: names, bindings and permissions follow from it (messaging).
 *
 * ```
 * events ──order.created──────────────▶ payment-status.order-created
 *        ──transaction.status-changed─▶ webhook-dispatcher.status-changed ◀─first-attempts─┐
 *        ──refund.status-changed──────▶ webhook-dispatcher.refund-changed ◀─refund-attempts┤
 *        ──transaction|reversal|refund.status-changed─▶ ~ledger.events
 * webhook.retry ──retry.<ms>──▶ webhook-dispatcher.retry.<ms>ms ──TTL──▶ webhook.retry ──retries──▶ webhook-dispatcher.retries
 *               ──park.*.<ms>──▶ webhook-dispatcher.park.*.<ms>ms ──TTL──▶ webhook.retry ──┘ (or ──retries──▶ as above)
 * dead ──<service>──▶ <service>.dead
 * events ──*.*.<k>──▶ events.partitions ──<event>.<k>──▶ <queue>.<k>, for each open partition k from 1 on
 * ```
 *
 * A `~` marks queues that no webhook waits for: their names must sort after those of the other queues (ADR 17).
 */
export const EXCHANGES = {
  events: { name: 'events', type: 'topic' },
  retry: { name: 'webhook.retry', type: 'direct' },
  dead: { name: 'dead', type: 'direct' },
  /** The queues of all partitions but the first. Internal: no client can publish to it, only the bindings of open partitions lead here. */
  partitions: { name: 'events.partitions', type: 'topic', internal: true },
} as const

/** The services that use the broker. Each one is a separate user. */
export const BROKER_SERVICES = ['order-api', 'payment-status', 'webhook-dispatcher', 'ledger'] as const
export type BrokerService = (typeof BROKER_SERVICES)[number]

/** The service whose queues of delays hold messages for a time; their names contain configured delays. */
export const DELAYING_SERVICE = 'webhook-dispatcher' satisfies BrokerService

/** The publisher of each event. It also declares the queues that take its events, so that none is published before its queue exists. */
export const EVENT_PUBLISHERS = {
  'order.created': 'order-api',
  'transaction.status-changed': 'payment-status',
  'refund.status-changed': 'payment-status',
  'reversal.status-changed': 'payment-status',
} as const satisfies Readonly<Record<string, BrokerService>>
export type EventType = keyof typeof EVENT_PUBLISHERS

/** A queue that a service consumes. */
interface WorkQueue {
  readonly consumer: BrokerService
  readonly name: string
  readonly events: readonly EventType[]
  /** The routing key under which the exchange of retries returns messages whose delay is over. */
  readonly returns?: string
  /** Declared by its consumer alone, so that nothing piles up where that service does not run. */
  readonly isOptional?: boolean
  /** One queue for each partition (partitions.ts). What returns comes to the first. */
  readonly isPartitioned?: boolean
}

export const WORK_QUEUES = {
  orderCreated: {
    consumer: 'payment-status',
    name: 'payment-status.order-created',
    events: ['order.created'],
    isPartitioned: true,
  },
  /** First attempts of webhooks. */
  statusChanged: {
    consumer: 'webhook-dispatcher',
    name: 'webhook-dispatcher.status-changed',
    events: ['transaction.status-changed'],
    returns: 'first-attempts',
    isPartitioned: true,
  },
  /** First attempts of refunds' webhooks. */
  refundChanged: {
    consumer: 'webhook-dispatcher',
    name: 'webhook-dispatcher.refund-changed',
    events: ['refund.status-changed'],
    returns: 'refund-attempts',
    isPartitioned: true,
  },
  /** Retries whose delay is over. They have their own consumer, so that a backlog of retries delays no first attempt. */
  retries: { consumer: 'webhook-dispatcher', name: 'webhook-dispatcher.retries', events: [], returns: 'retries' },
  /** Every event that changes what a list or a report shows. */
  ledgerEvents: {
    consumer: 'ledger',
    name: '~ledger.events',
    events: ['transaction.status-changed', 'reversal.status-changed', 'refund.status-changed'],
    isOptional: true,
    isPartitioned: true,
  },
} as const satisfies Readonly<Record<string, WorkQueue>>
export type WorkQueueKey = keyof typeof WORK_QUEUES
export type PartitionedQueueKey = {
  [Key in WorkQueueKey]: (typeof WORK_QUEUES)[Key] extends { isPartitioned: true } ? Key : never
}[WorkQueueKey]

const QUEUES: readonly (readonly [string, WorkQueue])[] = Object.entries(WORK_QUEUES)

/** The work queues that a service declares: those that it consumes, and those that take its events. */
export function declaredBy(service: BrokerService): WorkQueueKey[] {
  const publishes = (event: EventType): boolean => EVENT_PUBLISHERS[event] === service
  const isDeclared = ({ consumer, events, isOptional }: WorkQueue): boolean =>
    consumer === service || (isOptional !== true && events.some(publishes))
  return QUEUES.filter(([, queue]) => isDeclared(queue)).map(([key]) => key as WorkQueueKey)
}

/**
 * True when a queue must take every event of this type, so that an event without a queue is an error. False only for types that
 * nothing but optional queues take.
 */
export function isConsumed(eventType: string): boolean {
  const takers = QUEUES.filter(([, { events }]) => events.some((event) => event === eventType))
  return takers.length === 0 || takers.some(([, { isOptional }]) => isOptional !== true)
}
