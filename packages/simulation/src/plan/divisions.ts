import { SHARD_KEYS, SLOTS, type ShardKey } from '@gateway/contracts'
import { SERVICES } from '../actors/configs.ts'
import { MERCHANT_IDS } from '../actors/merchants.ts'
import type { Random } from '../kernel/random.ts'
import type { Bound, Division } from '../mongo/chunks.ts'

/** Draws where the chunks of each sharded collection begin, by its key of `SHARD_KEYS`: at slots, or at a merchant's slots. */
export function drawDivisions(random: Random): Record<string, Division> {
  const divisions = SERVICES.flatMap((service) =>
    Object.entries<ShardKey>(SHARD_KEYS[service]).map(([collection, pattern]): [string, Division] => {
      const key = Object.keys(pattern)
      const bounds =
        key[0] === 'slot'
          ? drawSlots(random)
          : MERCHANT_IDS.flatMap((id) => [[id], ...drawSlots(random).map((slot) => [id, ...slot])])
      return [`${service.replaceAll('-', '_')}.${collection}`, { key, bounds }]
    }),
  )
  return Object.fromEntries(divisions)
}

function drawSlots(random: Random): Bound[] {
  const slots = Array.from({ length: random.between(2, 6) }, () => random.between(1, SLOTS - 1))
  return [...new Set(slots)].toSorted((one, other) => one - other).map((slot) => [slot])
}
