import { setTimeout as sleep } from 'node:timers/promises'
import { MAX_PARTITIONS, PARTITION_COUNTS, type BrokerService } from '@gateway/contracts'
import { declarationsOf, isPublisher, partitionsAt, type QueueAdmin, type Topology } from '@gateway/messaging'
import type { PartitionStore } from './store.ts'
import type { QueueState, ServiceState } from './steps.ts'

export interface OperatorOptions {
  readonly service: BrokerService
  readonly store: PartitionStore
  readonly admin: QueueAdmin
  readonly topology: Topology
  readonly say: (line: string) => void
  readonly now: () => Date
  /** How long a step waits for replicas and queues. */
  readonly deadlineMs: number
}

const LOOK_EVERY_MS = 500

/**
 * The steps of one service (`Step`). Each may be interrupted and repeated. They resolve to whether the step is complete; when it is not,
 * `say` was told why.
 */
export function makePartitionOperator(options: OperatorOptions) {
  const { service, store, admin, topology, now } = options
  const consumes = partitionsAt(service, topology, 0).length > 0

  async function stillConsuming(partitions: number): Promise<string | undefined> {
    const replicas = await store.replicas(now())
    const done = replicas.filter((replica) => replica.consumes === partitions).length
    return done === replicas.length
      ? undefined
      : `${done} of ${replicas.length} replicas consume ${partitions} partitions; waiting`
  }

  async function whyNotDrained(partitions: number): Promise<string | undefined> {
    const { consumed } = await store.read()
    const left = await existingQueues(options, partitions, consumed)
    const messages = left.reduce((sum, queue) => sum + queue.messages, 0)
    if (messages > 0) {
      // A replica that died after the record has given messages back.
      if (consumed <= partitions) await store.record({ consumed: countFor(left) })
      return `${messages} messages are left in the other partitions; waiting`
    }
    if (consumed > partitions) await store.record({ consumed: partitions })
    return (await stillConsuming(partitions)) ?? deleteUnused(left, admin)
  }

  return {
    async state(): Promise<ServiceState> {
      const { consumed, open } = await store.read()
      return {
        service,
        ...(consumes && { consumed }),
        ...(isPublisher(service) && { open }),
        replicas: await store.replicas(now()),
        queues: consumes ? await existingQueues(options, 0, consumed) : [],
      }
    },

    async consume(partitions: number): Promise<boolean> {
      const { open } = await store.read()
      await admin.declareAll(declarationsOf(service, topology, { consumed: partitions, open }))
      await store.record({ consumed: partitions })
      return untilSolved(() => stillConsuming(partitions), options)
    },

    async open(partitions: number): Promise<boolean> {
      const { consumed } = await store.read()
      const { exchanges, queues } = declarationsOf(service, topology, { consumed, open: partitions })
      const { partitions: exchange } = topology.exchanges
      // Recorded first: a replica that connects now must not open a partition that is closed below.
      await store.record({ open: partitions })
      await admin.declareAll({ exchanges: [exchange, ...exchanges], queues })
      const closed = Array.from({ length: MAX_PARTITIONS - partitions }, (_, index) =>
        topology.partitionRoute(partitions + index),
      )
      await admin.unbindExchange(exchange.name, closed)
      return true
    },

    /** Call it when the other partitions are closed. */
    drain: (partitions: number): Promise<boolean> => untilSolved(() => whyNotDrained(partitions), options),
  }
}

/**
 * The queues of the partitions from `first` on that exist. Those from `beyond` on have no gaps, since the last is deleted first: AMQP
 * cannot list queues.
 */
async function existingQueues(
  { service, topology, admin }: OperatorOptions,
  first: number,
  beyond: number,
): Promise<QueueState[]> {
  const found: QueueState[] = []
  for (let partition = first; partition < MAX_PARTITIONS; partition++) {
    const queues = partitionsAt(service, topology, partition)
    const looks = await Promise.all(queues.map(async ({ name }) => ({ name, seen: await admin.look(name) })))
    const existing = looks.flatMap(({ name, seen }) => (seen ? [{ name, partition, ...seen }] : []))
    if (existing.length === 0 && partition >= beyond) break
    found.push(...existing)
  }
  return found
}

/**
 * Looked at once more: what a replica has given back meanwhile must not be deleted. A quorum queue counts a cancelled consumer as long as it
 * holds a message, so without messages and consumers nothing is in any hand.
 */
async function deleteUnused(left: readonly QueueState[], admin: QueueAdmin): Promise<string | undefined> {
  for (const { name } of left.toReversed()) {
    const seen = await admin.look(name)
    if (seen && seen.messages + seen.consumers > 0) return `${name} is still in use; waiting`
    if (!(await admin.remove(name))) return `${name} has a message; waiting`
  }
  return undefined
}

/** Looks until no problem is left, and says each new one. */
async function untilSolved(
  problem: () => Promise<string | undefined>,
  { say, deadlineMs }: Pick<OperatorOptions, 'say' | 'deadlineMs'>,
): Promise<boolean> {
  const endsAtMs = Date.now() + deadlineMs
  let said: string | undefined
  for (;;) {
    const found = await problem()
    if (found === undefined) return true
    if (found !== said) say(found)
    said = found
    if (Date.now() >= endsAtMs) return false
    await sleep(LOOK_EVERY_MS)
  }
}

/** The smallest number of partitions that has all of these. */
function countFor(queues: readonly QueueState[]): number {
  const highest = Math.max(...queues.map(({ partition }) => partition))
  return PARTITION_COUNTS.find((count) => count > highest) ?? MAX_PARTITIONS
}
