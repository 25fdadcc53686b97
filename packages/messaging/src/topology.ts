import type { BrokerService } from './broker-users.ts'
import { deadQueue, delayQueue, workQueue, type Exchange, type Queue, type Route } from './queue.ts'

/**
 * Everything that the gateway has on the broker, as data: the only place that names exchanges, queues and bindings.
 *
 * ```
 * events ──order.created──────────────▶ payment-status.order-created
 *        ──transaction.status-changed─▶ webhook-dispatcher.status-changed ◀─first-attempts─┐
 *        ──refund.status-changed──────▶ webhook-dispatcher.refund-changed ◀─refund-attempts┤
 *        ──transaction|reversal|refund.status-changed─▶ ~ledger.events
 * webhook.retry ──retry.<ms>──▶ webhook-dispatcher.retry.<ms>ms ──TTL──▶ webhook.retry ──retries──▶ webhook-dispatcher.retries
 *               ──park.*.<ms>──▶ webhook-dispatcher.park.*.<ms>ms ──TTL──▶ webhook.retry ──┘ (or ──retries──▶ as above)
 * dead ──<service>──▶ <service>.dead
 * ```
 *
 * A `~` marks queues that no webhook waits for: their names must sort after those of the other queues (ADR 17).
 */
export interface Topology {
  readonly exchanges: { readonly events: Exchange; readonly retry: Exchange; readonly dead: Exchange }
  readonly queues: {
    /** `order.created` for `payment-status`. */
    readonly orderCreated: Queue
    /** `transaction.status-changed` for `webhook-dispatcher`: first attempts. */
    readonly statusChanged: Queue
    /** `refund.status-changed` for `webhook-dispatcher`: first attempts of refunds' webhooks. */
    readonly refundChanged: Queue
    /** Retries whose delay is over. They have their own consumer, so that a backlog of retries delays no first attempt. */
    readonly retries: Queue
    /** One queue for each distinct delay of `WEBHOOK_RETRY_DELAYS`, without a consumer. */
    readonly waits: readonly Queue[]
    /**
     * Deliveries that may not be attempted now wait here, one queue for each level, without a consumer. First
     * attempts have only the shortest level; a delivery that waits longer has a record by then and waits among the retries.
     */
    readonly parks: readonly Queue[]
    readonly paymentStatusDead: Queue
    readonly webhookDispatcherDead: Queue
    /** Only in the topology of the ledger, so that nothing piles up where no ledger runs. */
    readonly ledger?: LedgerQueues
  }
  /** The route of a retry that is due in `delayMs`. Throws `RangeError` for a delay without a queue. */
  readonly retryRoute: (delayMs: number) => Route
  /** The routes into the delay queues. Throw `RangeError` for a delay without a queue. */
  readonly parkRoutes: Readonly<Record<'firstAttempts' | 'refundAttempts' | 'retries', (delayMs: number) => Route>>
}

/** Events that may have no queue: they are published for services to come, and nothing is lost when no queue takes them. */
const UNBOUND_EVENTS: ReadonlySet<string> = new Set(['reversal.status-changed'])

/** True when a queue must take every event of this type. */
export function isConsumed(eventType: string): boolean {
  return !UNBOUND_EVENTS.has(eventType)
}

export interface LedgerQueues {
  /** Every event that changes what a list or a report shows. */
  readonly events: Queue
  readonly dead: Queue
}

/**
 * @param prefix put before every name, so that tests can share a broker; empty in a deployment, which has its own virtual host
 * @param retryDelaysMs the delays between webhook attempts, in milliseconds
 * @param parkDelaysMs the levels of the delay queues, in milliseconds
 */
export function topology(prefix: string, retryDelaysMs: readonly number[], parkDelaysMs: readonly number[]): Topology {
  const exchanges = {
    events: { name: `${prefix}events`, type: 'topic' },
    retry: { name: `${prefix}webhook.retry`, type: 'direct' },
    dead: { name: `${prefix}dead`, type: 'direct' },
  } as const
  const retryTo = (routingKey: string): Route => ({ exchange: exchanges.retry.name, routingKey })
  const event = (routingKey: string): Route => ({ exchange: exchanges.events.name, routingKey })
  const deadRoute = (service: string): Route => ({ exchange: exchanges.dead.name, routingKey: service })
  const work = (service: string, name: string, bindings: Route[]) =>
    workQueue(`${prefix}${service}.${name}`, bindings, deadRoute(service))
  const delay = (name: string, ttlMs: number, from: Route, to: Route) =>
    delayQueue(`${prefix}webhook-dispatcher.${name}.${ttlMs}ms`, ttlMs, { from, to, deadRoute: deadRoute('webhook-dispatcher') })

  const delaysMs = [...new Set(retryDelaysMs)]
  const levelsMs = [...new Set(parkDelaysMs)].toSorted((one, other) => one - other)
  const retryRoute = routeFor(retryTo, 'retry', delaysMs)
  const parkRoutes = {
    firstAttempts: routeFor(retryTo, 'park.first-attempts', levelsMs.slice(0, 1)),
    refundAttempts: routeFor(retryTo, 'park.refund-attempts', levelsMs.slice(0, 1)),
    retries: routeFor(retryTo, 'park.retries', levelsMs),
  }
  const [firstAttempts, refundAttempts, retries] = [retryTo('first-attempts'), retryTo('refund-attempts'), retryTo('retries')]
  return {
    exchanges,
    queues: {
      orderCreated: work('payment-status', 'order-created', [event('order.created')]),
      statusChanged: work('webhook-dispatcher', 'status-changed', [event('transaction.status-changed'), firstAttempts]),
      refundChanged: work('webhook-dispatcher', 'refund-changed', [event('refund.status-changed'), refundAttempts]),
      retries: work('webhook-dispatcher', 'retries', [retries]),
      waits: delaysMs.map((delayMs) => delay('retry', delayMs, retryRoute(delayMs), retries)),
      parks: [
        ...levelsMs.slice(0, 1).map((ms) => delay('park.first-attempts', ms, parkRoutes.firstAttempts(ms), firstAttempts)),
        ...levelsMs.slice(0, 1).map((ms) => delay('park.refund-attempts', ms, parkRoutes.refundAttempts(ms), refundAttempts)),
        ...levelsMs.map((ms) => delay('park.retries', ms, parkRoutes.retries(ms), retries)),
      ],
      paymentStatusDead: deadQueue(`${prefix}payment-status.dead`, deadRoute('payment-status')),
      webhookDispatcherDead: deadQueue(`${prefix}webhook-dispatcher.dead`, deadRoute('webhook-dispatcher')),
    },
    retryRoute,
    parkRoutes,
  }
}

/** For services that know nothing of webhook delays: without the queues whose names contain those delays. */
export function eventTopology(prefix: string): Topology {
  return topology(prefix, [], [])
}

/** For the ledger: the same with its own queues, which are bound to all that changes a payment. */
export function ledgerTopology(prefix: string): Topology & { readonly queues: { readonly ledger: LedgerQueues } } {
  const shared = eventTopology(prefix)
  const deadRoute: Route = { exchange: shared.exchanges.dead.name, routingKey: 'ledger' }
  const bindings = LEDGER_EVENTS.map((routingKey) => ({ exchange: shared.exchanges.events.name, routingKey }))
  const ledger = {
    events: workQueue(`${prefix}~ledger.events`, bindings, deadRoute),
    dead: deadQueue(`${prefix}ledger.dead`, deadRoute),
  }
  return { ...shared, queues: { ...shared.queues, ledger } }
}

const LEDGER_EVENTS = ['transaction.status-changed', 'reversal.status-changed', 'refund.status-changed']

/** The routing key contains the delay, so that a queue of an earlier schedule gets no copies. */
function routeFor(retryTo: (routingKey: string) => Route, what: string, delaysMs: readonly number[]) {
  return (delayMs: number): Route => {
    if (!delaysMs.includes(delayMs)) throw new RangeError(`no queue waits ${delayMs} ms; there are ${delaysMs.join(', ')}`)
    return retryTo(`${what}.${delayMs}`)
  }
}

/** The exchanges and queues that a connection declares. */
export interface Declarations {
  readonly exchanges: readonly Exchange[]
  readonly queues: readonly Queue[]
}

export function everythingOf(all: Topology): Declarations {
  return { exchanges: Object.values(all.exchanges), queues: queuesOf(all) }
}

/** What one service declares: the queues that it consumes, the queues that receive its events, and their exchanges. */
export function declarationsOf(service: BrokerService, all: Topology): Declarations {
  const own = OWN[service](all.queues)
  const queues = queuesOf(all).filter((queue) => own.includes(queue))
  const used = new Set(queues.flatMap(({ bindings, deadRoute }) => [...bindings, deadRoute].map(({ exchange }) => exchange)))
  return { exchanges: Object.values(all.exchanges).filter(({ name }) => used.has(name)), queues }
}

const OWN: Readonly<Record<BrokerService, (queues: Topology['queues']) => readonly Queue[]>> = {
  'order-api': ({ paymentStatusDead, orderCreated }) => [paymentStatusDead, orderCreated],
  'payment-status': ({ paymentStatusDead, orderCreated, webhookDispatcherDead, statusChanged, refundChanged }) => [
    ...[paymentStatusDead, orderCreated],
    ...[webhookDispatcherDead, statusChanged, refundChanged],
  ],
  'webhook-dispatcher': ({ webhookDispatcherDead, statusChanged, refundChanged, retries, waits, parks }) => [
    ...[webhookDispatcherDead, statusChanged, refundChanged, retries],
    ...[...waits, ...parks],
  ],
  ledger: ({ ledger }) => (ledger ? [ledger.dead, ledger.events] : []),
}

/** Every queue of a topology; queues that others dead-letter to come first. */
export function queuesOf({ queues }: Topology): Queue[] {
  const { waits, parks, ledger, ...single } = queues
  return [
    ...(ledger ? [ledger.dead, ledger.events] : []),
    single.paymentStatusDead,
    single.webhookDispatcherDead,
    single.orderCreated,
    single.statusChanged,
    single.refundChanged,
    single.retries,
    ...parks,
    ...waits,
  ]
}
