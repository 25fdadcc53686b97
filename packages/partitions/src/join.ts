import { randomBytes } from 'node:crypto'
import type { Connection } from 'mongoose'
import { Gauge } from 'prom-client'
import type { BrokerService } from '@gateway/contracts'
import {
  createQueueAdmin,
  declarationsOf,
  type Broker,
  type PartitionConsumers,
  type PartitionCounts,
  type Topology,
} from '@gateway/messaging'
import { ConfigInvalid, startWorker, type Log, type Metrics, type Stoppable } from '@gateway/service-kit'
import { untilDatabaseAnswers } from '@gateway/service-kit/mongo'
import { mongoPartitions } from './store.ts'

export interface JoinOptions {
  readonly service: BrokerService
  readonly connection: Connection
  /** `QUEUE_PARTITIONS` of a publisher. */
  readonly publishes?: number
  readonly log: Log
  readonly now: () => Date
}

/** The partitions of a service, as one replica knows them. */
export interface Partitions {
  /** As recorded when it last looked. */
  readonly counts: () => PartitionCounts
  /** To how many it publishes: `QUEUE_PARTITIONS`, and never more than are open. */
  readonly publishedTo: () => number
  /** Follows the record until it is stopped, and reports what this replica does. Stop it after the consumers and the outbox. */
  follow(parts: Followed): Stoppable
}

interface Followed {
  readonly broker: Broker
  readonly topology: Topology
  /** Of a service that consumes. */
  readonly consumers?: PartitionConsumers
  readonly metrics: Metrics
}

const LOOK_EVERY_MS = 2000
/** A report that says nothing new waits for this long. */
const REPORT_EVERY_MS = 10_000

/** Reads what is recorded. Throws `ConfigInvalid` when a publisher is set to partitions that are not open. */
export async function joinPartitions({ service, connection, publishes, log, now }: JoinOptions): Promise<Partitions> {
  const store = mongoPartitions(connection)
  let counts = await untilDatabaseAnswers(() => store.read(), { what: 'read the partitions', log })
  if (publishes !== undefined && publishes > counts.open)
    throw new ConfigInvalid([
      `QUEUE_PARTITIONS is ${publishes}, and only ${counts.open} of them are open: run npm run partitions -- ${publishes} first`,
    ])

  function follow({ broker, topology, consumers, metrics }: Followed): Stoppable {
    const admin = createQueueAdmin(broker)
    const replicaId = randomBytes(9).toString('base64url')
    let declared = counts
    let reported = { text: '', atMs: -Infinity }

    async function step(): Promise<boolean> {
      counts = await store.read()
      await catchUp().finally(report)
      return false
    }

    async function catchUp(): Promise<void> {
      const grew = counts.consumed > declared.consumed || counts.open > declared.open
      // A new connection declares them too.
      if (grew && broker.state !== 'down') await admin.declareAll(declarationsOf(service, topology, counts))
      declared = counts
      consumers?.take(counts.consumed)
    }

    async function report(): Promise<void> {
      const said = { ...(consumers && { consumes: consumers.taken }), ...(publishes !== undefined && { publishes }) }
      const [text, at] = [JSON.stringify(said), now()]
      if (text === reported.text && at.getTime() - reported.atMs < REPORT_EVERY_MS) return
      await store.report(replicaId, said, at)
      reported = { text, atMs: at.getTime() }
    }

    partitionMetric(metrics, () => [
      ...(consumers
        ? ([
            ['recorded', counts.consumed],
            ['consumed', consumers.taken],
          ] as const)
        : []),
      ...(publishes === undefined ? [] : ([['published', publishes]] as const)),
    ])
    return startWorker({
      ...{ name: 'partitions', log, step, idleMs: LOOK_EVERY_MS },
      atEnd: () => store.leave(replicaId),
    })
  }

  return { counts: () => counts, publishedTo: () => Math.min(publishes ?? 1, counts.open), follow }
}

function partitionMetric({ registry }: Metrics, numbers: () => readonly (readonly [kind: string, count: number])[]): void {
  new Gauge({
    name: 'queue_partitions',
    help: 'Partitions of the queues of events: recorded for this service, consumed by this replica, published to by this replica',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      for (const [kind, count] of numbers()) this.set({ kind }, count)
    },
  })
}
