import { createSandbox, type Sandbox } from '@gateway/testkit/backing'
import { insertBatch } from '../src/mongo/commands.ts'

interface Entry {
  _id: string
  unique: string
}

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await createSandbox()
})
afterAll(() => sandbox.remove([]))

test('replicas that insert the same documents at once, in different orders: each is inserted once, and no replica fails', async () => {
  const entries = sandbox.client.db(sandbox.database('batches')).collection<Entry>('entries')
  await entries.createIndexes([{ key: { unique: 1 }, unique: true, name: 'unique' }])
  for (let round = 0; round < 40; round++) {
    const batch = Array.from({ length: 30 }, (_, index): Entry => ({
      _id: `${round}-${index}`,
      unique: `u-${round}-${(index * 7) % 30}`,
    }))
    const orders = [
      batch,
      batch.toReversed(),
      [...batch.slice(15), ...batch.slice(0, 15)],
      batch.toSorted(() => (round % 2) - 0.5),
    ]
    const results = await Promise.all(
      orders.map(async (documents) => ({ documents, settled: await insertBatch(entries, documents) })),
    )
    const failed = results.flatMap(({ settled }) => settled.filter(({ status }) => status === 'rejected'))
    expect(failed).toEqual([])
    const inserted = results.flatMap(({ documents, settled }) =>
      documents.filter((_, index) => settled[index]?.status === 'fulfilled' && settled[index].value).map(({ _id }) => _id),
    )
    expect(new Set(inserted).size).toBe(inserted.length)
    expect(await entries.countDocuments({ _id: { $regex: `^${round}-` } })).toBe(30)
  }
})
