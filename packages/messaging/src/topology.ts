import type { Channel } from 'amqplib'

/**
 * Everything the gateway has on the broker, as data: the only place where exchanges, queues and bindings are declared.
 *
 * ```
 * events ──order.created──────────────▶ payment-status.order-created
 *        ──transaction.status-changed─▶ webhook-dispatcher.status-changed ◀─first-attempts─┐
 * webhook.retry ──retry.<ms>──▶ webhook-dispatcher.retry.<ms>ms ──TTL──▶ webhook.retry ──retries──▶ webhook-dispatcher.retries
 *               ──park.*.<ms>──▶ webhook-dispatcher.park.*.<ms>ms ──TTL──▶ webhook.retry ──┘ (or ──retries──▶ as above)
 * dead ──<service>──▶ <service>.dead
 * ```
 */
export interface Topology {
  readonly exchanges: { readonly events: Exchange; readonly retry: Exchange; readonly dead: Exchange }
  readonly queues: {
    /** `order.created` for `payment-status`. */
    readonly orderCreated: Queue
    /** `transaction.status-changed` for `webhook-dispatcher`: first attempts. */
    readonly statusChanged: Queue
    /** Retries whose delay is over, consumed apart from first attempts. */
    readonly retries: Queue
    /** One per delay of `WEBHOOK_RETRY_DELAYS`, without repeats; nobody consumes them. */
    readonly waits: readonly Queue[]
    /**
     * Attempts that may not be made now wait here, one queue per level; nobody consumes them. First attempts have the
     * shortest level only: whoever has to wait longer has a record by then and waits among the retries.
     */
    readonly parks: readonly Queue[]
    readonly paymentStatusDead: Queue
    readonly webhookDispatcherDead: Queue
  }
  /** Where a retry is published that has to wait `delayMs`. Throws on a delay that has no queue. */
  readonly retryRoute: (delayMs: number) => Route
  /** Where an attempt is published that may not be made now, to come back after the delay. Throw on one that has no queue. */
  readonly parkRoutes: { readonly firstAttempts: (delayMs: number) => Route; readonly retries: (delayMs: number) => Route }
}

export interface Route {
  readonly exchange: string
  readonly routingKey: string
}

export interface Exchange {
  readonly name: string
  readonly type: 'topic' | 'direct'
}

export interface Queue {
  readonly name: string
  readonly arguments: Readonly<Record<string, string | number>>
  readonly bindings: readonly Route[]
  /** Where its consumer publishes poison, with the reason. Also what the broker uses past the delivery limit. */
  readonly deadRoute: Route
}

/**
 * How often a delivery may end with its consumer dying before the broker gives it to the dead queue. RabbitMQ's default
 * of 20 would drop healthy messages of a service that crash-loops: every crash counts for each of its prefetched messages.
 * 100 crashes are hours at any orchestrator's restart pause, and a message that kills its consumer still ends.
 * Handlers that merely fail do not count (`basic.nack`, from RabbitMQ 4.3 on).
 */
const DELIVERY_LIMIT = 100

/** An operator who looks at dead messages and puts them back must not lose them: -1 is "no limit". */
const NO_DELIVERY_LIMIT = -1

/**
 * @param prefix put before every name, so that tests share a broker; empty in a deployment, which has its own virtual host
 * @param retryDelaysMs the waits between webhook attempts, in milliseconds
 * @param parkDelaysMs how long a parked attempt may stay away, in milliseconds
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
  const work = (service: string, what: string, bindings: Route[]) =>
    deadLettering(`${prefix}${service}.${what}`, bindings, deadRoute(service), deadRoute(service), {
      'x-delivery-limit': DELIVERY_LIMIT,
    })
  /** Holds messages for `ttlMs` and then dead-letters them back. Fixed TTLs only: a queue expires from its head. */
  const wait = (what: string, ttlMs: number, from: Route, to: Route) =>
    deadLettering(`${prefix}webhook-dispatcher.${what}.${ttlMs}ms`, [from], to, deadRoute('webhook-dispatcher'), {
      'x-message-ttl': ttlMs,
      'x-delivery-limit': DELIVERY_LIMIT,
    })
  const dead = (service: string): Queue => ({
    name: `${prefix}${service}.dead`,
    arguments: { 'x-queue-type': 'quorum', 'x-overflow': 'reject-publish', 'x-delivery-limit': NO_DELIVERY_LIMIT },
    bindings: [deadRoute(service)],
    deadRoute: deadRoute(service),
  })

  const delaysMs = [...new Set(retryDelaysMs)]
  const levelsMs = [...new Set(parkDelaysMs)].toSorted((one, other) => one - other)
  const retryRoute = routeOf(retryTo, 'retry', delaysMs)
  const parkRoutes = {
    firstAttempts: routeOf(retryTo, 'park.first-attempts', levelsMs.slice(0, 1)),
    retries: routeOf(retryTo, 'park.retries', levelsMs),
  }
  const [firstAttempts, retries] = [retryTo('first-attempts'), retryTo('retries')]
  return {
    exchanges,
    queues: {
      orderCreated: work('payment-status', 'order-created', [event('order.created')]),
      statusChanged: work('webhook-dispatcher', 'status-changed', [event('transaction.status-changed'), firstAttempts]),
      retries: work('webhook-dispatcher', 'retries', [retries]),
      waits: delaysMs.map((delayMs) => wait('retry', delayMs, retryRoute(delayMs), retries)),
      parks: [
        ...levelsMs.slice(0, 1).map((ms) => wait('park.first-attempts', ms, parkRoutes.firstAttempts(ms), firstAttempts)),
        ...levelsMs.map((ms) => wait('park.retries', ms, parkRoutes.retries(ms), retries)),
      ],
      paymentStatusDead: dead('payment-status'),
      webhookDispatcherDead: dead('webhook-dispatcher'),
    },
    retryRoute,
    parkRoutes,
  }
}

/**
 * What a service needs that publishes or consumes events and knows nothing of the webhooks' delays: without the queues that
 * wait, whose names hold those delays.
 */
export function eventTopology(prefix: string): Topology {
  return topology(prefix, [], [])
}

/** The route to the queue of a delay. The delay is in the key: a queue of an earlier schedule gets no copies. */
function routeOf(retryTo: (routingKey: string) => Route, what: string, delaysMs: readonly number[]) {
  return (delayMs: number): Route => {
    if (!delaysMs.includes(delayMs)) throw new RangeError(`no queue waits ${delayMs} ms; there are ${delaysMs.join(', ')}`)
    return retryTo(`${what}.${delayMs}`)
  }
}

/**
 * At-least-once dead-lettering (a message leaves its queue only when the next one has confirmed it) needs
 * `reject-publish`. No `x-expires`, ever: it deletes a queue with its messages. How long a queue may become is left to the
 * operator's policy and the disk alarm: a limit here would push back into the outbox while its consumer is merely away.
 */
function deadLettering(
  name: string,
  bindings: readonly Route[],
  to: Route,
  deadRoute: Route,
  more: Record<string, number>,
): Queue {
  const queueArguments = {
    'x-queue-type': 'quorum',
    'x-overflow': 'reject-publish',
    'x-dead-letter-strategy': 'at-least-once',
    'x-dead-letter-exchange': to.exchange,
    'x-dead-letter-routing-key': to.routingKey,
    ...more,
  }
  return { name, arguments: queueArguments, bindings, deadRoute }
}

/** Every queue of a topology, those first that others dead-letter to. */
export function queuesOf({ queues }: Topology): Queue[] {
  const { waits, parks, ...single } = queues
  return [
    single.paymentStatusDead,
    single.webhookDispatcherDead,
    single.orderCreated,
    single.statusChanged,
    single.retries,
    ...parks,
    ...waits,
  ]
}

/**
 * Declares what is missing; does nothing to what is there already. Publishers call it too, so that a mandatory message
 * to a fresh broker is never returned. Rejects, closing the channel, when something exists with other properties.
 */
export async function declareTopology(channel: Channel, declared: Topology): Promise<void> {
  for (const exchange of Object.values(declared.exchanges)) {
    await channel.assertExchange(exchange.name, exchange.type, { durable: true })
  }
  for (const queue of queuesOf(declared)) await declareQueue(channel, queue)
}

/** One queue with its bindings; their exchanges must be there. */
export async function declareQueue(channel: Channel, queue: Omit<Queue, 'deadRoute'>): Promise<void> {
  await channel.assertQueue(queue.name, { durable: true, arguments: queue.arguments })
  for (const { exchange, routingKey } of queue.bindings) await channel.bindQueue(queue.name, exchange, routingKey)
}
