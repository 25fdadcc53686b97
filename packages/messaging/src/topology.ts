import { DELAYING_SERVICE, declaredBy, EXCHANGES, WORK_QUEUES, type BrokerService, type WorkQueueKey } from '@gateway/contracts'
import { deadQueue, delayQueue, workQueue, type Declarations, type Exchange, type Queue, type Route } from './queue.ts'

/** The exchanges and queues of the table in contracts (`broker.ts`), with their arguments, and the queues of the configured delays. */
export interface Topology {
  readonly exchanges: Readonly<Record<keyof typeof EXCHANGES, Exchange>>
  readonly queues: Readonly<Record<Exclude<WorkQueueKey, 'ledgerEvents'>, Queue>> & {
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

export interface LedgerQueues {
  readonly events: Queue
  readonly dead: Queue
}

/** @param prefix put before every name, so that tests can share a broker; empty in a deployment, which has its own virtual host */
function namesWith(prefix: string) {
  const named = (name: keyof typeof EXCHANGES): Exchange => ({ ...EXCHANGES[name], name: prefix + EXCHANGES[name].name })
  const exchanges = { events: named('events'), retry: named('retry'), dead: named('dead') }
  const to = (exchange: keyof typeof EXCHANGES) => (routingKey: string) => ({ exchange: exchanges[exchange].name, routingKey })
  const work = (key: WorkQueueKey): Queue => {
    const { consumer, name, events, ...others } = WORK_QUEUES[key]
    const returns = 'returns' in others ? [to('retry')(others.returns)] : []
    return workQueue(prefix + name, [...events.map(to('events')), ...returns], to('dead')(consumer))
  }
  const dead = (service: BrokerService): Queue => deadQueue(`${prefix}${service}.dead`, to('dead')(service))
  return { exchanges, retryTo: to('retry'), deadTo: to('dead'), work, dead }
}

/**
 * @param prefix as above
 * @param retryDelaysMs the delays between webhook attempts, in milliseconds
 * @param parkDelaysMs the levels of the delay queues, in milliseconds
 */
export function topology(prefix: string, retryDelaysMs: readonly number[], parkDelaysMs: readonly number[]): Topology {
  const { exchanges, retryTo, deadTo, work, dead } = namesWith(prefix)
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
      waits: waits.queues,
      parks: [...firstAttempts.queues, ...refundAttempts.queues, ...retries.queues],
      paymentStatusDead: dead('payment-status'),
      webhookDispatcherDead: dead('webhook-dispatcher'),
    },
    retryRoute: waits.route,
    parkRoutes: { firstAttempts: firstAttempts.route, refundAttempts: refundAttempts.route, retries: retries.route },
  }
}

/** For services that know nothing of webhook delays: without the queues whose names contain those delays. */
export function eventTopology(prefix: string): Topology {
  return topology(prefix, [], [])
}

/** For the ledger: the same with its own queues. */
export function ledgerTopology(prefix: string): Topology & { readonly queues: { readonly ledger: LedgerQueues } } {
  const [shared, { work, dead }] = [eventTopology(prefix), namesWith(prefix)]
  return { ...shared, queues: { ...shared.queues, ledger: { events: work('ledgerEvents'), dead: dead('ledger') } } }
}

export function everythingOf(all: Topology): Declarations {
  return { exchanges: Object.values(all.exchanges), queues: queuesOf(all) }
}

/** What one service declares: its work queues, their dead queues, its queues of delays, and the exchanges of all these. */
export function declarationsOf(service: BrokerService, all: Topology): Declarations {
  const { waits, parks, ledger, ...single } = all.queues
  const work = declaredBy(service).map((key) => (key === 'ledgerEvents' ? ledger?.events : single[key]))
  const routes = new Set(work.map((queue) => queue?.deadRoute.routingKey))
  const isDeclared = (queue: Queue): boolean => work.includes(queue) || (isDead(queue) && routes.has(queue.deadRoute.routingKey))
  const delayed = service === DELAYING_SERVICE ? [...parks, ...waits] : []
  const queues = queuesOf(all).filter((queue) => isDeclared(queue) || delayed.includes(queue))
  const used = new Set(queues.flatMap(({ bindings, deadRoute }) => [...bindings, deadRoute].map(({ exchange }) => exchange)))
  return { exchanges: Object.values(all.exchanges).filter(({ name }) => used.has(name)), queues }
}

function isDead({ bindings, deadRoute }: Queue): boolean {
  return bindings.includes(deadRoute)
}

/** Every queue of a topology; queues that others dead-letter to come first. */
export function queuesOf({ queues }: Topology): Queue[] {
  const { waits, parks, ledger, ...single } = queues
  return [
    ...(ledger ? [ledger.dead, ledger.events] : []),
    ...[single.paymentStatusDead, single.webhookDispatcherDead],
    ...[single.orderCreated, single.statusChanged, single.refundChanged, single.retries],
    ...[...parks, ...waits],
  ]
}
