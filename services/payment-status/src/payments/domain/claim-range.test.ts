import fc from 'fast-check'
import { SLOTS } from '@gateway/contracts'
import { draw, firstRange, nextLook, OLDEST_EVERY, rangeAfter, type ClaimRange } from './claim-range.ts'

const LIMIT = 50
const full = { found: 4 * LIMIT, lost: 0, limit: LIMIT }
const chance = fc.nat().map(randomFrom)
const everywhere = firstRange(() => 0)
const quarter: ClaimRange = { from: 256, width: 256, looks: 0 }

test('alone, a replica looks in all slots and draws its claim from four times as many', () => {
  const after = rangeAfter(everywhere, full, () => 0)
  expect(after).toEqual({ ...everywhere, looks: 1 })
  expect(nextLook(after, LIMIT)).toEqual({ slots: undefined, maxFound: 200 })
})

test('after a claim that lost more than a tenth the range is a quarter as wide, and somewhere else', () => {
  expect(rangeAfter(quarter, { ...full, lost: 5 }, () => 0.99)).toEqual({ ...quarter, looks: 1 })
  const after = rangeAfter(quarter, { ...full, lost: 6 }, () => 0.99)
  expect(after).toEqual({ from: 960, width: 64, looks: 1 })
  expect(nextLook(after, LIMIT)).toEqual({ slots: { $gte: 960, $lt: 1024 }, maxFound: 200 })
})

test('a range that holds less than a claim is doubled, whatever was lost', () => {
  expect(rangeAfter(quarter, { found: LIMIT - 1, lost: LIMIT - 1, limit: LIMIT }, () => 0.99)).toEqual({
    ...{ from: 0, width: 512, looks: 1 },
  })
  expect(rangeAfter(everywhere, { ...full, found: 0 }, () => 0.99)).toEqual({ ...everywhere, looks: 1 })
})

test('every sixteenth look is for the longest due of all slots, and leaves the range as it is', () => {
  const range = { ...quarter, looks: OLDEST_EVERY - 1 }
  expect(nextLook(range, LIMIT)).toEqual({ slots: undefined, maxFound: LIMIT })
  expect(rangeAfter(range, { ...full, lost: LIMIT }, () => 0.99)).toEqual({ ...quarter, looks: OLDEST_EVERY })
})

test('a range is a power of two of slots and begins at a multiple of its width', () => {
  const looks = fc.array(fc.record({ found: fc.nat(200), lost: fc.nat(LIMIT) }), { maxLength: 60 })
  fc.assert(
    fc.property(looks, chance, (all, random) => {
      let range = everywhere
      for (const look of all) {
        range = rangeAfter(range, { ...look, limit: LIMIT }, random)
        expect(Number.isInteger(Math.log2(range.width))).toBe(true)
        expect(range.from % range.width).toBe(0)
        expect(range.from + range.width).toBeLessThanOrEqual(SLOTS)
      }
    }),
  )
})

test('so many are drawn, each at most once, and everything if there is not more', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat()), fc.nat(20), chance, (items, count, random) => {
      const drawn = draw(items, count, random)
      expect(drawn).toHaveLength(Math.min(count, items.length))
      expect(new Set(drawn).size).toBe(drawn.length)
      expect(items).toEqual(expect.arrayContaining(drawn))
    }),
  )
})

interface Due {
  readonly id: number
  readonly slot: number
}

/** One look of a replica. `take` says whether another replica takes a document between look and claim. */
function look(range: ClaimRange, due: readonly Due[], limit: number, random: () => number, take: (one: Due) => boolean) {
  const { slots, maxFound } = nextLook(range, limit)
  const found = due.filter(({ slot }) => !slots || (slot >= slots.$gte && slot < slots.$lt)).slice(0, maxFound)
  const left = due.filter((one) => !take(one))
  const drawn = draw(found, limit, random)
  const claimed = drawn.filter((one) => left.includes(one))
  return {
    claimed,
    left: left.filter((one) => !claimed.includes(one)),
    range: rangeAfter(range, { found: found.length, lost: drawn.length - claimed.length, limit }, random),
  }
}

/**
 * Others take what they like but the one document, so that this replica's range moves as they wish, and younger work arrives with every
 * look. Each look for the oldest takes `limit` of what is older, or others have taken it: what is older is soon used up.
 */
test('what is due is claimed within a bounded number of looks, whatever other replicas and new work do', () => {
  const limit = 4
  const slot = fc.nat(SLOTS - 1)
  const documents = fc.record({ older: fc.array(slot, { maxLength: 40 }), own: slot, younger: fc.array(slot, { maxLength: 20 }) })
  fc.assert(
    fc.property(documents, chance, ({ older, own, younger }, random) => {
      const mine = older.length
      let due = [...older, own].map((place, id): Due => ({ id, slot: place }))
      let range = firstRange(random)
      const bound = OLDEST_EVERY * Math.ceil((older.length + 1) / limit)
      for (let looks = 1; looks <= bound; looks++) {
        due.push(...younger.map((place, index): Due => ({ id: mine + looks * 100 + index, slot: place })))
        const after = look(range, due, limit, random, ({ id }) => id !== mine && random() < 0.2)
        if (after.claimed.some(({ id }) => id === mine)) return
        ;[due, range] = [after.left, after.range]
      }
      throw new Error(`not claimed within ${bound} looks`)
    }),
  )
})

test('replicas whose looks always coincide soon lose less than a tenth to each other; without ranges it would be a third', () => {
  const rounds = 60
  const lostShares = [1, 2, 3].map((seed) => {
    const random = randomFrom(seed)
    let due = Array.from({ length: rounds * 4 * LIMIT * 2 }, (_, id): Due => ({ id, slot: Math.floor(random() * SLOTS) }))
    let ranges = Array.from({ length: 4 }, () => firstRange(random))
    let [tried, won] = [0, 0]
    for (let round = 1; round <= rounds; round++) {
      const before = due
      const claimed = new Set<Due>()
      ranges = ranges.map((range) => {
        const after = look(range, before, LIMIT, random, (one) => claimed.has(one))
        for (const one of after.claimed) claimed.add(one)
        if (round > rounds / 2) [tried, won] = [tried + LIMIT, won + after.claimed.length]
        return after.range
      })
      due = before.filter((one) => !claimed.has(one))
    }
    return 1 - won / tried
  })
  for (const share of lostShares) expect(share).toBeLessThan(0.1)
})

/** A small generator of repeatable numbers from 0 to below 1 (Numerical Recipes). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => (state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32) / 2 ** 32
}
