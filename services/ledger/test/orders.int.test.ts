import { setTimeout as sleep } from 'node:timers/promises'
import type { OrdersPage } from '@gateway/contracts'
import { eventually, type JsonClient } from '@gateway/testkit'
import { aCopy, startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
let merchant: JsonClient
beforeAll(async () => {
  fixture = await startFixture()
  merchant = await fixture.as('M1')
})
afterAll(() => fixture.stop())

const list = async (query: Record<string, string>, as: JsonClient = merchant): Promise<OrdersPage> => {
  const { status, body } = await as<OrdersPage>('GET', `/api/v1/orders?${new URLSearchParams(query).toString()}`)
  expect(body).toMatchObject({ data: {} })
  expect(status).toBe(200)
  return body
}
const walk = async (query: Record<string, string>, as: JsonClient = merchant): Promise<string[]> => {
  const ids: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: OrdersPage = await list(cursor === '' ? query : { ...query, cursor }, as)
    ids.push(...page.data.orders.map(({ order_id: id }) => id))
    cursor = page.next_cursor
  }
  return ids
}
const store = (copies: readonly ReturnType<typeof aCopy>[]) => fixture.store(copies)

// Proves: ledger/lists-with-every-filter
test('each filter lists exactly the orders that fit, newest first; a cursor belongs to its filters', async () => {
  const now = Date.now()
  const made = Array.from({ length: 60 }, (_, index) =>
    aCopy(
      {
        merchant_id: 'M2',
        order_id: `ORD-F${index}`,
        sequence: 2,
        status: index % 4 === 0 ? 'Pending' : 'Initiate',
        method: index % 3 === 0 ? 'credit_card' : 'upi',
        amount_paise: 100 * (index + 1),
        rrn: index % 10 === 0 ? `RRN${index % 20}` : null,
        payer_vpa: index % 5 === 0 ? `p${index % 2}@okbank` : null,
      },
      // From a minute to years ago.
      new Date(now - 60_000 - index ** 4 * 5000),
    ),
  )
  await store(made)
  const m2 = await fixture.as('M2')
  const where = (fits: (copy: (typeof made)[number], index: number) => boolean) =>
    made.filter((copy, index) => fits(copy, index)).map(({ order_id }) => order_id)
  const from = made[40]?.created_at ?? ''
  const to = made[10]?.created_at ?? ''
  const cases: [Record<string, string>, string[]][] = [
    [{}, where(() => true)],
    [{ status: 'Pending' }, where(({ status }) => status === 'Pending')],
    [{ status: 'Success' }, []],
    [{ method: 'credit_card' }, where(({ method }) => method === 'credit_card')],
    [{ order_id: 'ORD-F7' }, ['ORD-F7']],
    [{ rrn: 'RRN10' }, where(({ rrn }) => rrn === 'RRN10')],
    [{ payer_vpa: 'P1@OKBANK' }, where(({ payer_vpa }) => payer_vpa === 'p1@okbank')],
    [{ refund_state: 'none' }, where(() => true)],
    [{ refund_state: 'full' }, []],
    [{ amount_min: '10.00', amount_max: '20' }, where(({ amount_paise: paise }) => paise >= 1000 && paise <= 2000)],
    [{ from, to }, where((_, index) => index <= 40 && index > 10)],
    [
      { from, to, status: 'Pending', method: 'upi' },
      where(({ status, method }, index) => status === 'Pending' && method === 'upi' && index <= 40 && index > 10),
    ],
  ]
  for (const [query, expected] of cases)
    for (const limit of ['1', '7', '100'])
      expect([query, limit, await walk({ ...query, limit }, m2)]).toEqual([query, limit, expected])

  const { next_cursor: cursor } = await list({ status: 'Pending', limit: '2' }, m2)
  const other = await m2('GET', `/api/v1/orders?status=Initiate&limit=2&cursor=${cursor ?? ''}`)
  expect(other).toMatchObject({ status: 422, body: { code: 'validation_failed', errors: [{ field: '/cursor' }] } })
  // Nor can another merchant use it.
  expect(await merchant('GET', `/api/v1/orders?status=Pending&cursor=${cursor ?? ''}`)).toMatchObject({ status: 422 })
})

// Proves: ledger/cursors-stay-with-their-merchant
test('a changed cursor neither leaves its merchant nor makes a list without end', async () => {
  await store([aCopy({ merchant_id: 'M11' }), aCopy({ merchant_id: 'M11' }), aCopy({ merchant_id: 'M12' })])
  const m11 = await fixture.as('M11')
  const { next_cursor: cursor, data } = await list({ status: 'Initiate', limit: '1' }, m11)
  const [before = '', digest = ''] = Buffer.from(cursor ?? '', 'base64url')
    .toString()
    .split('/')
  const changed = (text: string) => Buffer.from(text).toString('base64url')
  for (const text of [`M12:${before}/${digest}`, `${before}/1/${digest}`, `/${digest}`, digest]) {
    const answer = await m11('GET', `/api/v1/orders?status=Initiate&limit=1&cursor=${changed(text)}`)
    expect([text, answer]).toMatchObject([text, { status: 422, body: { errors: [{ field: '/cursor' }] } }])
  }
  const last = changed(`7${'Z'.repeat(27)}/${digest}`)
  expect(new Set(await walk({ status: 'Initiate', limit: '100', cursor: last }, m11)).size).toBe(2)
  expect(data.orders).toHaveLength(1)
})

test('times long ago and far ahead are times like any other', async () => {
  const m11 = await fixture.as('M11')
  const all = await walk({}, m11)
  expect(all).toHaveLength(2)
  for (const from of ['1969-12-31T23:59:59Z', '0001-01-01T00:00:00+05:30']) {
    expect(await walk({ from }, m11)).toEqual(all)
    expect(await walk({ from, status: 'Initiate' }, m11)).toEqual(await walk({ status: 'Initiate' }, m11))
    expect(await walk({ to: from }, m11)).toEqual([])
    expect(await walk({ to: from, status: 'Initiate' }, m11)).toEqual([])
  }
  expect(await walk({ to: '9999-12-31T23:59:59Z' }, m11)).toEqual(all)
  expect(await walk({ from: '9999-12-31T23:59:59Z' }, m11)).toEqual([])
  expect(await walk({ from: '2026-11-21T00:00:00+05:30', to: '2026-11-21T00:00:00+05:30' }, m11)).toEqual([])
})

test('an order shows what the ledger knows of it, and other merchants do not see it', async () => {
  const { data } = await fixture.paymentStatus.open({ merchant: { id: 'M3', name: 'Shop', vpa: 'shop@okbank', mcc: '5411' } })
  await fixture.paymentStatus.report({ tr: data.transaction_id, rrn: '123456789012' })
  const m3 = await fixture.as('M3')
  const [found] = await eventually(async () => {
    const { data: page } = await list({ status: 'Success' }, m3)
    expect(page.orders).toHaveLength(1)
    return page.orders
  })
  expect(found).toEqual({
    order_id: data.order_id,
    transaction_id: data.transaction_id,
    status: 'Success',
    sequence: 2,
    amount: '499.00',
    currency: 'INR',
    method: 'upi',
    rrn: '123456789012',
    failure_code: null,
    refund_state: 'none',
    amount_refunded: '0.00',
    created_at: data.created_at,
    final_at: expect.any(String) as string,
  })
  expect(await walk({ order_id: data.order_id }, await fixture.as('M4'))).toEqual([])
})

// Proves: ledger/pages-while-payments-are-written
test('walking all pages while payments are written misses and repeats none that existed at the start', async () => {
  const before = Array.from({ length: 300 }, (_, index) =>
    aCopy({ merchant_id: 'M5', status: 'Pending', sequence: 2 }, new Date(Date.now() - 300_000 + index * 900)),
  )
  await store(before)
  const m5 = await fixture.as('M5')
  const writing = new AbortController()
  const writer = (async () => {
    while (!writing.signal.aborted) {
      await fixture.publish(aCopy({ merchant_id: 'M5', status: 'Pending', sequence: 2 }))
      await sleep(20)
    }
  })()
  const expected = before.map(({ order_id }) => order_id).toReversed()
  const known = new Set(expected)
  for (const query of [{}, { status: 'Pending' }, { amount_min: '1.00' }]) {
    const walked = await walk({ ...query, limit: '9' }, m5)
    expect(walked.filter((id) => known.has(id))).toEqual(expected)
    expect(new Set(walked).size).toBe(walked.length)
  }
  writing.abort()
  await writer
})

// Proves: ledger/as-of-says-how-fresh
test('as_of is not later than the answer, and what was published before it is listed', async () => {
  await fixture.publish(aCopy({ merchant_id: 'M6' }))
  const publishedAt = Date.now()
  const m6 = await fixture.as('M6')
  await eventually(async () => {
    const { as_of: asOf, data } = await list({}, m6)
    expect(Date.parse(asOf)).toBeLessThanOrEqual(Date.now())
    expect(data.orders).toHaveLength(1)
    expect(Date.parse(asOf)).toBeGreaterThanOrEqual(publishedAt - 1000)
  })
})
