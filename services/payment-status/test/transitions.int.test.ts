import { newTransactionId, type Transition, type TransitionsPage } from '@gateway/contracts'
import { eventually } from '@gateway/testkit'
import { startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()))
afterAll(() => fixture.stop())

const read = async (query: Record<string, string>) => {
  const answer = await fixture.internalAs('webhook-dispatcher')<TransitionsPage>(
    'GET',
    `/internal/v1/transitions?${new URLSearchParams(query).toString()}`,
  )
  expect(answer.status).toBe(200)
  return answer.body
}
const readAll = async (query: Record<string, string>): Promise<Transition[]> => {
  const all: Transition[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: TransitionsPage = await read(cursor === '' ? query : { ...query, cursor })
    all.push(...page.transitions)
    cursor = page.next_cursor
  }
  return all
}
const idsOf = (transitions: readonly Transition[]) => transitions.map((row) => `${row.transaction_id}.${row.sequence}`)

// Proves: webhooks/audit-names-every-gap
test('every status change is exported once, in order, for any page size; its time is that of the change', async () => {
  const since = new Date().toISOString()
  const opened = []
  for (let count = 0; count < 5; count++) opened.push((await fixture.open()).data)
  const [first, second] = opened
  await fixture.report({ tr: first?.transaction_id ?? '', outcome: 'pending' })
  await fixture.report({ tr: first?.transaction_id ?? '' })
  await fixture.report({ tr: second?.transaction_id ?? '', outcome: 'failed' })
  const expected = opened.flatMap(({ transaction_id: id }, index) =>
    [1, 2, 3].slice(0, [3, 2][index] ?? 1).map((sequence) => `${id}.${sequence}`),
  )
  for (const limit of ['1', '2', '5', '1000']) expect(idsOf(await readAll({ since, limit }))).toEqual(expected)

  const [one, two, three] = await readAll({ since })
  expect(one).toMatchObject({ merchant_id: 'M1', at: first?.created_at })
  const document = await fixture.document(first?.transaction_id ?? '')
  expect(three?.at).toBe((document?.['final_at'] as Date).toISOString())
  expect([one?.at, two?.at, three?.at].toSorted()).toEqual([one?.at, two?.at, three?.at])
  // The exported changes are the published ones.
  await eventually(async () => expect((await readAll({ since })).every(({ published }) => published)).toBe(true))
  const told = await fixture.events(first?.transaction_id ?? '')
  expect(told.map(({ id, occurred_at: at }) => [id, at])).toEqual(
    [one, two, three].map((row) => [idsOf(row ? [row] : [])[0], row?.at]),
  )

  const middle = opened[2]?.created_at ?? ''
  const until = idsOf(await readAll({ since, until: middle }))
  expect([...until, ...idsOf(await readAll({ since: middle }))]).toEqual(expected)
})

test('a change in the outbox is not published', async () => {
  const { data } = await fixture.open()
  const id = data.transaction_id
  await fixture.report({ tr: id })
  const since = data.created_at
  await eventually(async () => expect((await readAll({ since })).every(({ published }) => published)).toBe(true))
  // In the future, so that the sweep leaves it.
  const transactions = fixture.sandbox.client.db(fixture.config.database).collection<{ _id: string }>('transactions')
  const outbox = [
    { id: `${id}.2`, type: 'transaction.status-changed', at: new Date(Date.now() + 60_000), correlation_id: '', body: '{}' },
  ]
  await transactions.updateOne({ _id: id }, { $set: { outbox } })
  const document = await fixture.document(id)
  const at = (document?.['final_at'] as Date).toISOString()
  expect(await readAll({ since })).toEqual([
    { transaction_id: id, sequence: 1, merchant_id: 'M1', at: since, published: true },
    { transaction_id: id, sequence: 2, merchant_id: 'M1', at, published: false, status: 'Success' },
  ])
  await transactions.updateOne({ _id: id }, { $set: { outbox: [] } })
})

test.each(['limit=0', 'limit=1001', 'since=yesterday', 'cursor=a', 'cursor[$gt]=', 'unknown=1'])(
  '%s is refused',
  async (query) => {
    expect(await fixture.internalAs('webhook-dispatcher')('GET', `/internal/v1/transitions?${query}`)).toMatchObject({
      status: 422,
    })
  },
)

test("it needs the internal token, not a merchant's", async () => {
  const merchant = await fixture.as('M1')
  expect(await merchant('GET', '/internal/v1/transitions')).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
})

test('a page is read along the primary key', async () => {
  const transactions = fixture.sandbox.client.db(fixture.config.database).collection<{ _id: string }>('transactions')
  const plan: unknown = await transactions
    .find({ _id: { $gt: newTransactionId(new Date(), 0) } })
    .sort({ _id: 1 })
    .limit(10)
    .explain()
  expect(JSON.stringify(plan)).toContain('_id_')
  expect(JSON.stringify(plan)).not.toMatch(/"(?:Seq Scan|Sort|COLLSCAN)"/u)
})
