import { valuesOf } from '../mongo/chunks.ts'
import type { Command } from '../mongo/commands.ts'
import type { Reach } from '../mongo/divide.ts'
import type { Violate } from './committed.ts'

/** Fields that name single documents: a query by one of them is part of the payment path. */
const DOCUMENT_KEYS = ['_id', 'order_key', 'transaction_id']

/** H1: a hot query is answered by no more shards than it names slots. */
export function countQueries(violate: Violate) {
  let hotBeyondSlots = 0
  return {
    get hotBeyondSlots(): number {
      return hotBeyondSlots
    },
    note: ({ name, namespace }: Command, { filter, shards, slots }: Reach): void => {
      const isHot = DOCUMENT_KEYS.some((field) => valuesOf(filter, field) !== undefined)
      if (shards <= slots || !isHot) return
      hotBeyondSlots += 1
      if (hotBeyondSlots === 1)
        violate('H1 hot queries name their slots', `${name} ${namespace} by ${Object.keys(filter).join()} asks ${shards} shards`)
    },
  }
}
