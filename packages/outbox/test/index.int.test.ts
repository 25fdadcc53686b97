import { documentOf, documentsWith, entry, startOutboxFixture, type OutboxFixture } from './outbox-fixture.ts'

let fixture: OutboxFixture
beforeAll(async () => {
  fixture = await startOutboxFixture()
})
afterAll(() => fixture.stop())

test('a sweep among 10,000 published documents reads only the index of unpublished ones', async () => {
  for (let batch = 0; batch < 10; batch++) {
    await fixture.collection.insertMany(
      Array.from({ length: 1_000 }, (_, index) => ({ _id: `done-${batch}-${index}`, slot: index, outbox: [] })),
    )
  }
  await fixture.collection.insertMany(documentsWith(3, 60_000))
  await fixture.collection.insertOne(documentOf(entry('young.1')))

  expect(await fixture.relay().sweepOnce()).toBe(3)

  // The query that the sweep sent, explained: it must use the partial index on every server.
  const [query = {}] = fixture.sent('find')
  const plan = JSON.stringify(
    await fixture.collection
      .find(query['filter'] as object)
      .limit(200)
      .explain('queryPlanner'),
  )
  expect(plan).toMatch(/"indexName":"outbox_at"/u)
})
