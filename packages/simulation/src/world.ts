import type { NetworkReport } from '@gateway/contracts'
import { createFleet } from './actors/fleet.ts'
import { createMerchants } from './actors/merchants.ts'
import { createOperator } from './actors/operator.ts'
import { createPaymentNetwork } from './actors/network.ts'
import { Receiver } from './actors/receiver.ts'
import { Committed, type Violate } from './check/committed.ts'
import type { Mark } from './check/marks.ts'
import { createMessageChecks } from './check/messages.ts'
import { countQueries } from './check/queries.ts'
import type { Violation } from './check/rules.ts'
import { useEngines } from './hooks/engines.ts'
import { Kernel } from './kernel/kernel.ts'
import { Network } from './kernel/network.ts'
import { SimulatedProcess } from './kernel/process.ts'
import { randomStream } from './kernel/random.ts'
import { Cluster } from './mongo/cluster.ts'
import { drawDivisions } from './plan/divisions.ts'
import type { Plan } from './plan/plan.ts'
import { Broker } from './rabbit/broker.ts'

/** The nodes of the broker. */
export const NODES = ['rabbit-1:5672', 'rabbit-2:5672', 'rabbit-3:5672']
const HOSTS = ['mongo-1:27017', 'mongo-2:27017', 'mongo-3:27017']
/** How far the replicas' clocks may be apart. */
const MAX_SKEW_MS = 200

export type SimulatedWorld = ReturnType<typeof createWorld>

/** Everything of one simulated run; broken rules that are seen while it runs are `violations`, and what happens at least once `marks`. */
export function createWorld(plan: Plan) {
  const kernel = new Kernel(plan.seed)
  const network = new Network(kernel.world('http'))
  const violations: Violation[] = []
  const marks = new Set<Mark>()
  const mark = (what: Mark): void => void marks.add(what)
  const violate = (rule: string, what: string): void => {
    kernel.trace('check', `VIOLATION ${rule}: ${what}`)
    violations.push({ rule, what })
  }
  const committed = new Committed(violate, () => kernel.nowMs)
  const queries = countQueries(violate)
  const database = new Cluster(kernel.world('mongo'), {
    hosts: plan.isStandalone ? HOSTS.slice(0, 1) : HOSTS,
    shards: plan.shards,
    divisions: drawDivisions(randomStream(plan.seed, 'chunks')),
    onReach: queries.note,
    onStaleRouter: () => mark('a stale router sent a command again'),
    onMoved(waited) {
      if (waited > 0) mark('a chunk moved while commands waited')
    },
    onCommit: (entry) => committed.onCommit(entry),
    onRollback({ change }) {
      if (change.kind === 'write') mark('a failover cut a write')
    },
    onStaleRead: () => mark('a replaced primary answered a read'),
  })
  const checks = createMessageChecks(committed, violate, mark, () => kernel.nowMs)
  const broker = new Broker(kernel.world('rabbit'), { nodes: NODES, ...checks.observer })
  useEngines(kernel, {
    network,
    onWebhook: checks.onWebhook,
    connect(process, host, port) {
      const client = { name: process.name, run: (work: () => void) => process.deliver(work) }
      const engine = host.startsWith('mongo') ? database : broker
      process.onEnd(() => engine.network.vanish(process.name))
      return engine.connect(client, `${host}:${port}`)
    },
  })
  const skew = kernel.world('skew')
  const skewOf = () => Math.round((skew.random() - 0.5) * MAX_SKEW_MS)
  const urls = { mongo: database.url, amqp: broker.url }
  const [partitions = 1, ...nextPartitions] = plan.partitions
  const fleet = createFleet({ kernel, urls, partitions, skewOf, mark })
  const random = randomStream(plan.seed, 'operator')
  const operator = createOperator(nextPartitions, { kernel, urls, fleet, random, restMs: random.between(2000, 5000) })
  const bank = createPaymentNetwork(new SimulatedProcess(kernel, 'network'), network)
  const receiver = new Receiver(new SimulatedProcess(kernel, 'receiver'), network)
  const merchants = createMerchants(kernel, network, () => database.isStale)
  network.onAnswer = checkAcknowledged(committed, violate)
  return { kernel, network, database, broker, fleet, bank, receiver, merchants, operator, violations, marks, queries }
}

/** S10: the gateway answers a callback by 200 only when its report is stored, or kept for a person. */
function checkAcknowledged(committed: Committed, violate: Violate): Network['onAnswer'] {
  return ({ path, body }, { status }) => {
    if (path !== '/network/v1/callbacks' || status !== 200) return
    const report = JSON.parse(body) as NetworkReport
    if (!committed.hasReport(report))
      violate('S10 an answered callback is stored', `${report.reference} of ${report.tr}, ${report.outcome}, is not stored`)
  }
}
