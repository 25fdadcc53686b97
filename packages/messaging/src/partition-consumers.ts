import type { PartitionedQueueKey } from '@gateway/contracts'
import type { Broker } from './broker.ts'
import { consume, type ConsumeOptions, type Consumer, type HandleMessage } from './consumer.ts'
import { createHandlerSlots } from './handler-slots.ts'
import { oldestOf } from './message.ts'
import type { Topology } from './topology.ts'

export interface PartitionConsumersOptions extends Pick<ConsumeOptions, 'isTemporary' | 'publisher' | 'log'> {
  readonly topology: Topology
  /** Each with what makes the handler of its messages. */
  readonly queues: readonly { readonly key: PartitionedQueueKey; readonly handlerOf: (queueName: string) => HandleMessage }[]
  /** Handlers of one queue that run at once, over all its partitions. */
  readonly prefetch: number
  /** The number of partitions at the start. */
  readonly partitions: number
}

export interface PartitionConsumers extends Pick<Consumer, 'inFlight' | 'oldestPublishedAtMs' | 'stop'> {
  /** Consumes the first `partitions` partitions from now on, and no other. Returns at once. */
  take(partitions: number): void
  /**
   * How many partitions are consumed. It changes when `take` is complete: the broker sends messages of each partition, and no message
   * of another one is in hand.
   */
  readonly taken: number
  /** For each queue, when the oldest message that this replica holds was published; `undefined` when it holds none. */
  oldestByQueue(): { readonly queue: string; readonly atMs: number | undefined }[]
}

/** How long handlers may run after their partition was given up. Then their messages return to the queue. */
const GIVE_UP_WITHIN_MS = 30_000

/**
 * Consumes every partition of some queues. Quorum queues refuse a prefetch that several consumers share. So all consumers of a queue may
 * together hold up to twice as many messages as are handled: a partition is not held up while others are empty.
 */
export function consumePartitions(broker: Broker, options: PartitionConsumersOptions): PartitionConsumers {
  const { topology, queues: asked, prefetch, partitions: first, ...shared } = options
  const queues = asked.map((queue) => ({ ...queue, slots: createHandlerSlots(prefetch) }))
  let wanted = first
  let current = open(wanted)
  let leaving: typeof current = []
  let taken = 0

  function open(partitions: number) {
    const share = Math.min(prefetch, Math.ceil((2 * prefetch) / partitions))
    return queues.flatMap(({ key, handlerOf, slots }) =>
      Array.from({ length: partitions }, (_, partition) => {
        const queue = topology.partition(key, partition)
        const { name } = queue
        return { queue: name, consumer: consume(broker, { ...shared, queue, prefetch: share, slots, handle: handlerOf(name) }) }
      }),
    )
  }

  const all = () => [...current, ...leaving]
  return {
    take(partitions) {
      if (partitions === wanted) return
      const left = current
      wanted = partitions
      current = open(partitions)
      leaving = [...leaving, ...left]
      void Promise.all(left.map(({ consumer }) => consumer.stop({ deadlineMs: GIVE_UP_WITHIN_MS }))).then(() => {
        leaving = leaving.filter((one) => !left.includes(one))
      })
    },
    get taken() {
      if (leaving.length === 0 && current.every(({ consumer }) => consumer.isConsuming)) taken = wanted
      return taken
    },
    get inFlight() {
      return all().reduce((sum, { consumer }) => sum + consumer.inFlight, 0)
    },
    get oldestPublishedAtMs() {
      return oldestOf(all().map(({ consumer }) => consumer.oldestPublishedAtMs))
    },
    oldestByQueue() {
      const byQueue = Map.groupBy(all(), ({ queue }) => queue)
      return [...byQueue].map(([queue, own]) => ({
        queue,
        atMs: oldestOf(own.map(({ consumer }) => consumer.oldestPublishedAtMs)),
      }))
    },
    async stop(deadline) {
      const stopped = await Promise.all(all().map(({ consumer }) => consumer.stop(deadline)))
      return !stopped.includes(false)
    },
  }
}
