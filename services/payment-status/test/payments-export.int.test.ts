import { exportedPayment, paymentsPage, type PaymentsPage, type TimelinePart } from '@gateway/contracts'
import { eventually } from '@gateway/testkit'
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
  if (!paymentsPage(body) || !body.payments.every((one) => exportedPayment(one)))
    throw new Error('the page does not fit its schema')
  return body as PaymentsPage
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

// Proves: ledger/rebuilt-from-the-export
test('each event carries the payment as the export shows it', async () => {
  const created = await fixture.open({ max_attempts: 2 })
  const { transaction_id: tr, created_at: since } = created.data
  const [opened] = (await read({ since })).payments
  await fixture.report({ tr, rrn: '123456789012', payer: { name: 'Asha', vpa: 'asha@okbank' } })
  const [paid] = (await read({ since })).payments
  await eventually(async () => expect(await fixture.events(tr)).toHaveLength(2))
  const events: readonly { readonly data: object }[] = await fixture.events(tr)
  expect(events.map(({ data }) => ('payment' in data ? data.payment : undefined))).toEqual([opened, paid])
})

/** A payment with so many captures, written as no release writes it: the export must cope with any document. */
async function withCaptures(count: number): Promise<string> {
  const { transaction_id: id } = (await fixture.open()).data
  const captures = Array.from({ length: count }, (_, index) => ({
    reference: `${id}.${index}`,
    amount_paise: 49_900,
    disposition: 'reversed',
  }))
  await fixture.sandbox.client
    .db(fixture.config.database)
    .collection<{ _id: string }>('transactions')
    .updateOne({ _id: id }, { $set: { captures } })
  return id
}

// Proves: ledger/pages-are-bounded-in-bytes
test('a page ends with the payment that makes it a megabyte, whatever its limit', async () => {
  const since = new Date().toISOString()
  const small = [(await fixture.open()).data.transaction_id]
  const huge = await withCaptures(14_000)
  const large = [await withCaptures(4000), await withCaptures(4000), await withCaptures(10)]
  const first = await read({ since })
  expect(first.payments.map(({ transaction_id: id }) => id)).toEqual([...small, huge])
  expect(first.payments[1]?.captures).toHaveLength(14_000)
  expect(first.next_cursor).toBe(huge)
  const second = await read({ since, cursor: huge })
  expect(second).toMatchObject({ payments: large.slice(0, 2).map((transaction_id) => ({ transaction_id })) })
  expect(await read({ since, cursor: second.next_cursor ?? '' })).toMatchObject({ payments: [{}], next_cursor: null })
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
  expect(body.events.find(({ sequence }) => sequence === 2)?.at).toBe((document?.['final_at'] as Date).toISOString())
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
