import { REPLICAS, SERVICES } from '../actors/configs.ts'
import type { ExchangeFault } from '../kernel/network.ts'
import { randomStream } from '../kernel/random.ts'
import type { ReplicaSet } from '../mongo/replica-set.ts'
import { NODES, type SimulatedWorld } from '../world.ts'
import { describeFault, MEMBERS, type Fault, type Link, type Plan } from './plan.ts'

/** A node is lost before the first message of its slow time is stored. */
const LOST_AT = 0.9
const EXCHANGE_FAULTS: readonly ExchangeFault[] = ['refuse', 'lose request', 'lose answer', 'reset before', 'reset after']

/** Plans every fault, counted from now. Returns how to end all of them. */
export function execute(plan: Plan, world: SimulatedWorld): () => void {
  const { kernel } = world
  const open = new Set<() => void>()
  const failing = failCalls(world)
  let healed = false
  for (const fault of plan.faults) {
    kernel.after(fault.atMs, 'nemesis', () => {
      if (healed) return
      kernel.trace('nemesis', describeFault(fault))
      const undo = begin(fault, world, failing)
      if (!undo) return
      open.add(undo)
      kernel.after(fault.forMs, 'nemesis', () => {
        if (open.delete(undo)) undo()
      })
    })
  }
  return () => {
    healed = true
    kernel.trace('nemesis', 'every fault ends')
    for (const undo of open) undo()
    open.clear()
    for (const shard of world.database.shards) for (let member = 0; member < MEMBERS; member++) shard.restartMember(member)
    for (const service of SERVICES) {
      for (const replica of REPLICAS) {
        world.fleet.processOf(service, replica)?.disarm()
        if (plan.isHalfDown && replica === 1 + (plan.seed % 2)) world.fleet.keepDown(service, replica)
        else world.fleet.restart(service, replica)
      }
    }
  }
}

/** Begins a fault. Returns how to end it, if it does not end by itself. */
function begin(fault: Fault, world: SimulatedWorld, failing: Map<Link, number>): (() => void) | undefined {
  const { fleet, database, broker, receiver } = world
  const shard = shardOf(fault, world)
  switch (fault.kind) {
    case 'crash':
      fleet.setRestartMs(fault.service, fault.replica, fault.forMs)
      fleet.processOf(fault.service, fault.replica)?.crashAtCall(fault.call, fault.when)
      return undefined
    case 'stop':
      fleet.setRestartMs(fault.service, fault.replica, fault.forMs)
      fleet.stop(fault.service, fault.replica)
      return undefined
    case 'pause':
      world.marks.add('a replica was paused')
      fleet.processOf(fault.service, fault.replica)?.pause(fault.forMs)
      return () => fleet.processOf(fault.service, fault.replica)?.resume()
    case 'cut':
      return networkOf(fault, world).cut((client) => client === `${fault.service} ${fault.replica}`)
    case 'reset':
      networkOf(fault, world).reset((client) => client === `${fault.service} ${fault.replica}`)
      return undefined
    case 'calls fail':
      failing.set(fault.link, fault.share)
      return () => void failing.delete(fault.link)
    case 'failover':
      shard.slowMs = fault.slowMs
      for (let time = 0; time < fault.times; time++)
        world.kernel.after(time * fault.everyMs, 'nemesis', () => shard.failover({ stale: fault.stale }))
      return () => void (shard.slowMs = 0)
    case 'member dies':
      shard.killMember(fault.member)
      return () => shard.restartMember(fault.member)
    case 'chunk moves':
      database.moveChunk(fault.pick)
      return undefined
    case 'broker node dies':
      broker.slowMs = fault.slowMs
      world.kernel.after(fault.slowMs * LOST_AT, 'nemesis', () => {
        broker.slowMs = 0
        broker.loseNode(nodeOf(fault))
      })
      return () => broker.restoreNode(nodeOf(fault))
    case 'broker blocked':
      broker.block()
      return () => broker.unblock()
    case 'receivers':
      receiver.mode = fault.mode
      return () => void (receiver.mode = 'answer')
  }
}

function networkOf({ engine }: { readonly engine: 'mongo' | 'rabbit' }, { database, broker }: SimulatedWorld) {
  return engine === 'mongo' ? database.network : broker.network
}

/** The shard that a fault of the database meets. */
function shardOf({ number }: Fault, { database: { shards } }: SimulatedWorld): ReplicaSet {
  const shard = shards[number % shards.length]
  if (!shard) throw new Error('a database has at least one shard')
  return shard
}

function nodeOf({ number }: Fault): string {
  return NODES[number % NODES.length] ?? ''
}

/** Lets a share of the calls of a link fail, each in a way of its own. */
function failCalls({ kernel, network }: SimulatedWorld): Map<Link, number> {
  const failing = new Map<Link, number>()
  const random = randomStream(kernel.seed, 'failing calls')
  network.faultOf = (from, to) => {
    if (failing.size === 0) return undefined
    const host = to.endsWith('.example.com') ? 'merchants' : to
    for (const [[caller, called], share] of failing)
      if (caller === from && called === host && random.next() < share) return random.pick(EXCHANGE_FAULTS)
    return undefined
  }
  return failing
}
