import fc from 'fast-check'
import { inPartition, PARTITION_COUNTS, partitionOf } from './partitions.ts'
import { SLOTS, slotDigits } from './slot.ts'

const slots = fc.integer({ min: 0, max: SLOTS - 1 })
const counts = fc.constantFrom(...PARTITION_COUNTS)
const idIn = (slot: number): string => `01M7Z06FKYP25ADK0GD2B8YZJ9${slotDigits(slot)}`

// Proves: broker/partition-of-a-slot
test('a partition has equally many neighbouring slots, and half of them stay together when there are twice as many partitions', () => {
  fc.assert(
    fc.property(slots, counts, (slot, partitions) => {
      const found = partitionOf({ id: `${idIn(slot)}.2`, type: 'transaction.status-changed' }, partitions)
      expect(found).toBe(slot >> (10 - Math.log2(partitions)))
    }),
  )
})

test('all events of one payment are in one partition', () => {
  fc.assert(
    fc.property(slots, counts, (slot, partitions) => {
      const events = [
        { id: `${idIn(slot)}.0`, type: 'order.created' },
        { id: `${idIn(slot)}.3`, type: 'transaction.status-changed' },
        { id: `${idIn(slot)}R01.1`, type: 'refund.status-changed' },
      ]
      expect(new Set(events.map((event) => partitionOf(event, partitions))).size).toBe(1)
    }),
  )
})

// Proves: broker/closed-partition-returns
test('an event without a slot, and one that only optional queues take, are in partition 0', () => {
  for (const partitions of PARTITION_COUNTS) {
    expect(partitionOf({ id: 'SBX0123', type: 'order.created' }, partitions)).toBe(0)
    expect(partitionOf({ id: `${idIn(SLOTS - 1)}.rev-1.1`, type: 'reversal.status-changed' }, partitions)).toBe(0)
  }
})

test('partition 0 has the plain names', () => {
  expect([inPartition('order.created', 0), inPartition('order.created', 3)]).toEqual(['order.created', 'order.created.3'])
})
