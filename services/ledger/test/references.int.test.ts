/** One reference for the payments of two merchants, every number of a bank, and payments that are too large or wrong. */
import { istDay, type DailyReport, type OrdersPage, type ReversalRequest } from '@gateway/contracts'
import { eventually } from '@gateway/testkit'
import type { Entry } from '../src/reconciliation/domain/entry.ts'
import { composeEntries } from '../src/reconciliation/compose.ts'
import { aCopy, startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await startFixture()
  fixture.paymentStatus.network.answer(({ path, query, body }) => {
    if (path !== '/network/v1/reversals') return { status: 200, body: { tr: query.get('tr'), payments: [] } }
    const { reference } = body as ReversalRequest
    return { status: 200, body: { reference, status: 'succeeded', reason: null, rrn: '998877665544' } }
  })
})
afterAll(() => fixture.stop())

const merchantOf = (id: string) => ({ merchant: { id, name: 'Shop', vpa: 'shop@okbank', mcc: '5411' } })
const open = async (merchantId: string, fields: object = {}) =>
  (await fixture.paymentStatus.open({ ...merchantOf(merchantId), ...fields })).data

// Proves: ledger/one-reference-of-two-transactions
test('two merchants whose payments have one reference have both in their reports, and it alerts', async () => {
  const [first, second] = [await open('MA'), await open('MB')]
  for (const { transaction_id: tr } of [first, second]) {
    expect(await fixture.paymentStatus.report({ tr, reference: 'SAME' })).toMatchObject({ status: 200 })
  }
  const rows = async (merchantId: string) => {
    const merchant = await fixture.as(merchantId)
    const { body } = await merchant<DailyReport>('GET', `/api/v1/reports/daily?format=json&date=${istDay(new Date())}`)
    return body.data.events.map(({ kind, transaction_id }) => `${kind} ${transaction_id}`)
  }
  await eventually(async () => {
    expect(await rows('MA')).toEqual([`capture ${first.transaction_id}`])
    expect(await rows('MB')).toEqual([`capture ${second.transaction_id}`])
  })

  const alerts: (readonly string[])[] = []
  const onCollision = (ids: readonly string[]): void => void alerts.push(ids)
  const { storeEntries } = composeEntries({ connection: fixture.connection, onCollision, now: () => new Date() })
  const [stored] = [...(await fixture.entries.find(['capture:SAME'])).values()]
  expect(stored?.transaction_id).toBe(first.transaction_id)
  const late: Entry = {
    kind: 'unwanted_capture',
    status: 'succeeded',
    ...{ reference: 'SAME', merchant_id: 'MC', transaction_id: 'T9', order_id: 'O9', rrn: null },
    ...{ method: null, amount_paise: 1, at: new Date(), version: 1 },
  }
  await storeEntries([late])
  expect(alerts.map((ids) => ids.toSorted())).toEqual([['T9', first.transaction_id, second.transaction_id].toSorted()])
  await storeEntries([{ ...late, reference: 'OTHER' }])
  expect(alerts).toHaveLength(1)
  const named = await fixture.entries.find(['capture:SAME'], new Map([['capture:SAME', second.transaction_id]]))
  expect(named.get('capture:SAME')).toMatchObject({ merchant_id: 'MB' })
})

// Proves: ledger/every-rrn-finds-its-order
test('every number of a bank finds its order: of declines, late and second payments, and of reversals', async () => {
  const { transaction_id: tr, order_id } = await open('MR', { max_attempts: 2 })
  const report = (fields: object) => fixture.paymentStatus.report({ tr, ...fields })
  await report({ reference: 'D1', outcome: 'failed', rrn: '400000000001' })
  await report({ reference: 'W1', amount: '1.00', rrn: '400000000002' })
  await report({ reference: 'L1', rrn: '400000000003' })
  await report({ reference: 'L2', rrn: '400000000004' })
  const merchant = await fixture.as('MR')
  const found = async (query: string) => {
    const { body } = await merchant<OrdersPage>('GET', `/api/v1/orders?${query}`)
    return body.data.orders.map((order) => order.order_id)
  }
  await eventually(async () => {
    for (const rrn of ['400000000001', '400000000002', '400000000003', '400000000004', '998877665544'])
      expect([rrn, await found(`rrn=${rrn}`)]).toEqual([rrn, [order_id]])
  })
  expect(await found('rrn=400000000001&status=Success')).toEqual([])
  expect(await found('rrn=400000000009')).toEqual([])
  expect((await (await fixture.as('MA'))<OrdersPage>('GET', '/api/v1/orders?rrn=400000000001')).body.data.orders).toEqual([])
})

test('a number that many orders have is listed page by page, newest first', async () => {
  const made = Array.from({ length: 9 }, (_, index) =>
    aCopy({ merchant_id: 'MP', rrn: '777777777777', status: 'Pending', sequence: 2 }, new Date(Date.now() - index * 1000)),
  )
  await fixture.store(made)
  const merchant = await fixture.as('MP')
  const found: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const query: string = `rrn=777777777777&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`
    const { body }: { body: OrdersPage } = await merchant<OrdersPage>('GET', `/api/v1/orders?${query}`)
    found.push(...body.data.orders.map((order) => order.order_id))
    cursor = body.next_cursor
  }
  expect(found).toEqual(made.map(({ order_id }) => order_id))
})

// Proves: ledger/one-payment-stops-no-other
test('a payment with 14,000 captures, and one that cannot be read, hold up no other merchant', async () => {
  const at = new Date().toISOString()
  const captures = Array.from({ length: 14_000 }, (_, index) => ({
    ...{ reference: `H${index}`, amount_paise: 1, accepted: false, rrn: null, method: null, at },
  }))
  const [huge, wrong, other] = [aCopy({ merchant_id: 'MH', captures }), aCopy({ amount_paise: 0 }), aCopy({ merchant_id: 'MO' })]
  for (const copy of [huge, wrong, other]) await fixture.publish(copy)
  const patience = { deadlineMs: 120_000 }
  await eventually(async () => {
    for (const { transaction_id } of [other, huge]) expect(await fixture.find(transaction_id)).toMatchObject({ version: 1 })
  }, patience)
  const { sandbox } = fixture.paymentStatus
  await eventually(async () => expect(await sandbox.messageCount(fixture.queues.dead)).toBe(1), patience)
  expect(await fixture.connection.collection('entries').countDocuments({ transaction_id: huge.transaction_id })).toBe(14_000)
})
