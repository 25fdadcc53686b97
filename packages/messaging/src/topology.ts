import {
  declaredBy,
  DELAYING_SERVICE,
  EVENT_PUBLISHERS,
  EXCHANGES,
  inPartition,
  WORK_QUEUES,
  type BrokerService,
  type PartitionedQueueKey,
  type WorkQueueKey,
} from '@gateway/contracts'
import { deadQueue, delayQueue, workQueue, type Declarations, type Exchange, type Queue, type Route } from './queue.ts'

/** The exchanges and queues of the table in contracts (`broker.ts`), with their arguments, and the queues of the configured delays. */
export interface Topology {
  readonly exchanges: Readonly<Record<keyof typeof EXCHANGES, Exchange>>
  /** Work queues by their key; of a partitioned one, partition 0. */
  readonly queues: Readonly<Record<WorkQueueKey, Queue>> & {
    /** One queue for each distinct delay of `WEBHOOK_RETRY_DELAYS`, without a consumer. */
    readonly waits: readonly Queue[]
    /**
     * Deliveries that may not be attempted now wait here, one queue for each level, without a consumer. First
     * attempts have only the shortest level; a delivery that waits longer has a record by then and waits among the retries.
     */
    readonly parks: readonly Queue[]
    readonly paymentStatusDead: Queue
    readonly webhookDispatcherDead: Queue
    readonly ledgerDead: Queue
  }
  /** A partition of a queue. */
  readonly partition: (key: PartitionedQueueKey, partition: number) => Queue
  /** The route that leads the messages of a partition from 1 on to their queues: as long as it is bound, the partition is open. */
  readonly partitionRoute: (partition: number) => Route
  /** The route of a retry that is due in `delayMs`. Throws `RangeError` for a delay without a queue. */
  readonly retryRoute: (delayMs: number) => Route
  /** The routes into the delay queues. Throw `RangeError` for a delay without a queue. */
  readonly parkRoutes: Readonly<Record<'firstAttempts' | 'refundAttempts' | 'retries', (delayMs: number) => Route>>
}

/** How many partitions a service has. */
export interface PartitionCounts {
  /** Those that it consumes. */
  readonly consumed: number
  /** Those to which it may publish. */
  readonly open: number
}

export const ONE_PARTITION: PartitionCounts = { consumed: 1, open: 1 }

/** @param prefix put before every name, so that tests can share a broker; empty in a deployment, which has its own virtual host */
function namesWith(prefix: string) {
  const named = (name: keyof typeof EXCHANGES): Exchange => ({ ...EXCHANGES[name], name: prefix + EXCHANGES[name].name })
  const exchanges = { events: named('events'), retry: named('retry'), dead: named('dead'), partitions: named('partitions') }
  const to = (exchange: keyof typeof EXCHANGES) => (routingKey: string) => ({ exchange: exchanges[exchange].name, routingKey })
  const work = (key: WorkQueueKey, partition = 0): Queue => {
    const { consumer, name, events, ...others } = WORK_QUEUES[key]
    const returns = 'returns' in others && partition === 0 ? [to('retry')(others.returns)] : []
    const bindings = events.map((event) => to(partition === 0 ? 'events' : 'partitions')(inPartition(event, partition)))
    return workQueue(inPartition(prefix + name, partition), [...bindings, ...returns], to('dead')(consumer))
  }
  const dead = (service: BrokerService): Queue => deadQueue(`${prefix}${service}.dead`, to('dead')(service))
  return { exchanges, eventsTo: to('events'), retryTo: to('retry'), deadTo: to('dead'), work, dead }
}

/**
 * @param prefix as above
 * @param retryDelaysMs the delays between webhook attempts, in milliseconds
 * @param parkDelaysMs the levels of the delay queues, in milliseconds
 */
export function topology(prefix: string, retryDelaysMs: readonly number[], parkDelaysMs: readonly number[]): Topology {
  const { exchanges, eventsTo, retryTo, deadTo, work, dead } = namesWith(prefix)
  /** Routes into the queues of some delays, and the queues. The key contains the delay: a queue of an earlier schedule gets no copies. */
  const delays = (name: string, delaysMs: readonly number[], { returns }: { readonly returns: string }) => {
    const route = (delayMs: number): Route => {
      if (!delaysMs.includes(delayMs)) throw new RangeError(`no queue waits ${delayMs} ms; there are ${delaysMs.join(', ')}`)
      return retryTo(`${name}.${delayMs}`)
    }
    const queues = delaysMs.map((ms) => {
      const routes = { from: route(ms), to: retryTo(returns), deadRoute: deadTo(DELAYING_SERVICE) }
      return delayQueue(`${prefix}${DELAYING_SERVICE}.${name}.${ms}ms`, ms, routes)
    })
    return { route, queues }
  }
  const levelsMs = [...new Set(parkDelaysMs)].toSorted((one, other) => one - other)
  const waits = delays('retry', [...new Set(retryDelaysMs)], WORK_QUEUES.retries)
  const firstAttempts = delays('park.first-attempts', levelsMs.slice(0, 1), WORK_QUEUES.statusChanged)
  const refundAttempts = delays('park.refund-attempts', levelsMs.slice(0, 1), WORK_QUEUES.refundChanged)
  const retries = delays('park.retries', levelsMs, WORK_QUEUES.retries)
  return {
    exchanges,
    queues: {
      orderCreated: work('orderCreated'),
      statusChanged: work('statusChanged'),
      refundChanged: work('refundChanged'),
      retries: work('retries'),
      ledgerEvents: work('ledgerEvents'),
      waits: waits.queues,
      parks: [...firstAttempts.queues, ...refundAttempts.queues, ...retries.queues],
      paymentStatusDead: dead('payment-status'),
      webhookDispatcherDead: dead('webhook-dispatcher'),
      ledgerDead: dead('ledger'),
    },
    partition: work,
    partitionRoute: (partition) => eventsTo(inPartition('*.*', partition)),
    retryRoute: waits.route,
    parkRoutes: { firstAttempts: firstAttempts.route, refundAttempts: refundAttempts.route, retries: retries.route },
  }
}

/** For services that know nothing of webhook delays: without the queues whose names contain those delays. */
export function eventTopology(prefix: string): Topology {
  return topology(prefix, [], [])
}

/** For programs that are no service. Without the optional queues, in which everything would pile up. */
export function everythingOf(all: Topology): Declarations {
  const { ledgerEvents, ledgerDead } = all.queues
  const queues = queuesOf(all).filter((queue) => queue !== ledgerEvents && queue !== ledgerDead)
  return { exchanges: Object.values(all.exchanges), queues }
}

/**
 * What one service declares: its work queues, their dead queues, its queues of delays, and the exchanges of all these. A publisher opens
 * the partitions to which it may publish, after it has declared their queues.
 */
export function declarationsOf(service: BrokerService, all: Topology, counts = ONE_PARTITION): Declarations {
  const { waits, parks, ...single } = all.queues
  const declared = declaredBy(service)
  const work = declared.map((key) => single[key])
  const partitions = declared.flatMap((key) =>
    isPartitioned(key)
      ? range(1, WORK_QUEUES[key].consumer === service ? counts.consumed : counts.open).map((k) => all.partition(key, k))
      : [],
  )
  const routes = new Set(work.map((queue) => queue.deadRoute.routingKey))
  const isDeclared = (queue: Queue): boolean => work.includes(queue) || (isDead(queue) && routes.has(queue.deadRoute.routingKey))
  const delayed = service === DELAYING_SERVICE ? [...parks, ...waits] : []
  const queues = [...queuesOf(all).filter((queue) => isDeclared(queue) || delayed.includes(queue)), ...partitions]
  const bindings = isPublisher(service) ? range(1, counts.open).map(all.partitionRoute) : []
  const exchanges = { ...all.exchanges, partitions: { ...all.exchanges.partitions, bindings } }
  const used = new Set(queues.flatMap(({ bindings: from, deadRoute }) => [...from, deadRoute].map(({ exchange }) => exchange)))
  return { exchanges: Object.values(exchanges).filter(({ name }) => used.has(name)), queues }
}

function isDead({ bindings, deadRoute }: Queue): boolean {
  return bindings.includes(deadRoute)
}

/** Whether a service publishes events, and so opens and closes partitions. */
export function isPublisher(service: BrokerService): boolean {
  return Object.values(EVENT_PUBLISHERS).some((publisher) => publisher === service)
}

/** One partition of every partitioned queue that a service consumes. */
export function partitionsAt(service: BrokerService, all: Topology, partition: number): Queue[] {
  const keys = declaredBy(service).filter(isPartitioned)
  return keys.filter((key) => WORK_QUEUES[key].consumer === service).map((key) => all.partition(key, partition))
}

function isPartitioned(key: WorkQueueKey): key is PartitionedQueueKey {
  return 'isPartitioned' in WORK_QUEUES[key]
}

/** The whole numbers from `from` up to and without `end`. */
function range(from: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - from) }, (_, index) => from + index)
}

/** Every queue of a topology, partitions left out; queues that others dead-letter to come first. */
export function queuesOf({ queues }: Topology): Queue[] {
  const { waits, parks, ...single } = queues
  return [
    ...[single.paymentStatusDead, single.webhookDispatcherDead, single.ledgerDead],
    ...[single.orderCreated, single.statusChanged, single.refundChanged, single.retries, single.ledgerEvents],
    ...[...parks, ...waits],
  ]
}
