import fc from 'fast-check'
import { Chunks } from '../chunks.ts'
import { matcherOf } from '../documents.ts'

const merchant = fc.constantFrom('m1', 'm2', 'm3')
const slot = fc.integer({ min: 0, max: 7 })
const document = fc.record({ _id: fc.constantFrom('a', 'b', 'c'), merchant_id: merchant, slot })
const filter = fc.record(
  {
    merchant_id: fc.oneof(
      merchant,
      fc.uniqueArray(merchant).map(($in) => ({ $in })),
    ),
    slot: fc.oneof(
      slot,
      fc.uniqueArray(slot).map(($in) => ({ $in })),
      slot.map(($gte) => ({ $gte })),
    ),
    $and: fc.array(fc.record({ slot }), { minLength: 1, maxLength: 1 }),
  },
  { requiredKeys: [] },
)
const bySlot = new Chunks({ key: ['slot', '_id'], bounds: [[2], [4], [5]] }, 4)
const byMerchant = new Chunks({ key: ['merchant_id', 'slot'], bounds: [['m1', 4], ['m2'], ['m2', 2], ['m3', 3]] }, 2)

// Proves: faults/mongodb-model-routes-by-the-shard-key
test.each([
  ['slot', bySlot],
  ['merchant and slot', byMerchant],
])('by %s, the chunks of a filter have every document that it selects', (_what, chunks) => {
  fc.assert(
    fc.property(fc.array(document, { maxLength: 20 }), filter, (documents, asked) => {
      const found = chunks.chunksOf(asked)
      for (const selected of documents.filter(matcherOf(asked))) expect(found).toContain(chunks.chunkOf(selected))
    }),
  )
})

test.each<[object, number[]]>([
  [{ slot: 3 }, [1]],
  [{ slot: { $in: [0, 1, 4] } }, [0, 2]],
  [{ $and: [{ slot: 7 }] }, [3]],
  [{ slot: { $gte: 4 } }, [0, 1, 2, 3]],
  [{ _id: 'a' }, [0, 1, 2, 3]],
  [{ slot: { $in: [] } }, []],
])('%j needs no other chunks than %j', (asked, expected) => {
  expect(bySlot.chunksOf({ ...asked })).toEqual(expected)
})

test.each<[object, number[]]>([
  [{ merchant_id: 'm1' }, [0, 1]],
  [{ merchant_id: 'm2' }, [2, 3]],
  [{ merchant_id: 'm2', slot: 1 }, [2]],
  [{ merchant_id: { $in: ['m1', 'm3'] }, slot: 3 }, [0, 4]],
  [{ slot: 3 }, [0, 1, 2, 3, 4]],
])('%j needs no other chunks than %j of merchants', (asked, expected) => {
  expect(byMerchant.chunksOf({ ...asked })).toEqual(expected)
})
