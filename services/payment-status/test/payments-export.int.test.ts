import { paymentsPage, type PaymentsPage, type TimelinePart } from '@gateway/contracts'
import { startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()))
afterAll(() => fixture.stop())

const read = async (query: Record<string, string>): Promise<PaymentsPage> => {
  const { status, body } = await fixture.internalAs('ledger')(
    'GET',
    `/internal/v1/payments?${new URLSearchParams(query).toString()}`,
  )
  expect(status).toBe(200)
  if (!paymentsPage(body)) throw new Error('the page does not fit its schema')
  return body
}

// Proves: ledger/rebuilt-from-the-export
test('every payment is exported once, in the order of its id, for any page size', async () => {
  const since = new Date().toISOString()
  const ids = []
  for (let count = 0; count < 5; count++) ids.push((await fixture.open()).data.transaction_id)
  await fixture.report({ tr: ids[1] ?? '', rrn: '123456789012' })
  for (const limit of ['1', '2', '5', '500']) {
    const found = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: PaymentsPage = await read({ since, limit, ...(cursor === '' ? {} : { cursor }) })
      found.push(...page.payments)
      cursor = page.next_cursor
    }
    expect(found.map(({ transaction_id: id }) => id)).toEqual(ids)
    expect(found[1]).toMatchObject({
      status: 'Success',
      rrn: '123456789012',
      captures: [{ accepted: true, rrn: '123456789012' }],
    })
    expect(found[0]).toMatchObject({ status: 'Initiate', captures: [], version: 1 })
  }
})

test('named payments are exported; unknown ids are left out', async () => {
  const { transaction_id: id } = (await fixture.open()).data
  const { body } = await fixture.internalAs('ledger')<PaymentsPage>('POST', '/internal/v1/payments', {
    transaction_ids: [id, 'UNKNOWN'],
  })
  expect(body).toMatchObject({ payments: [{ transaction_id: id }], next_cursor: null })
})

// Proves: ledger/timeline-tells-the-whole-payment
test('a timeline has the times of the status changes; an order of another merchant is 404', async () => {
  const { data } = await fixture.open()
  await fixture.report({ tr: data.transaction_id })
  const { body } = await fixture.internalAs('ledger')<TimelinePart>('GET', `/internal/v1/timelines/M1/${data.order_id}`)
  expect(body.events.map(({ kind, sequence }) => `${kind} ${sequence ?? ''}`.trim())).toEqual(
    expect.arrayContaining(['order.created', 'status.changed 1', 'attempt.succeeded', 'status.changed 2']),
  )
  const document = await fixture.document(data.transaction_id)
  expect(body.events.find(({ sequence }) => sequence === 2)?.at).toBe((document?.['finalAt'] as Date).toISOString())
  expect(await fixture.internalAs('ledger')('GET', `/internal/v1/timelines/M2/${data.order_id}`)).toMatchObject({
    status: 404,
    body: { code: 'order_not_found' },
  })
})

test.each(['/internal/v1/payments', '/internal/v1/timelines/M1/ORD-1'])('%s needs the internal token', async (path) => {
  const merchant = await fixture.as('M1')
  expect(await merchant('GET', path)).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
})

test.each(['limit=0', 'limit=501', 'since=yesterday', 'cursor=a', 'unknown=1'])('%s is refused', async (query) => {
  expect(await fixture.internalAs('ledger')('GET', `/internal/v1/payments?${query}`)).toMatchObject({ status: 422 })
})
