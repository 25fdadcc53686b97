import { isConsumed } from './broker.ts'
import { SLOTS, slotOf } from './slot.ts'

/**
 * A partition is a share of the slots with queues of its own, so that one queue need not take all events (docs/operations/partitions.md).
 * Partition 0 has the plain queues and routing keys; partition `k` has `<queue>.<k>`, reached by `<event>.<k>`.
 */

/** How many partitions there may be: powers of two, so that each has as many slots as any other. */
export const PARTITION_COUNTS = [1, 2, 4, 8, 16, 32, 64] as const

export const MAX_PARTITIONS = 64

/**
 * The partition of an event. 0 for an event without a slot, and for one whose queues are all optional: if its partition is closed, the
 * broker would drop such a message instead of returning it.
 *
 * @param event.id begins with the transaction's id
 * @param partitions one of `PARTITION_COUNTS`
 */
export function partitionOf({ id, type }: { readonly id: string; readonly type: string }, partitions: number): number {
  if (partitions === 1 || !isConsumed(type)) return 0
  return Math.floor(((slotOf(id) ?? 0) * partitions) / SLOTS)
}

/** The routing key of an event in a partition, and the name of a queue's part in it. */
export function inPartition(name: string, partition: number): string {
  return partition === 0 ? name : `${name}.${partition}`
}
