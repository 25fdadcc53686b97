/** The ledger behind the gateway: what one merchant sees, and no other. */
import {
  DEFAULT_SCOPES,
  istDay,
  type DailyReport,
  type OrdersPage,
  type RefundsPage,
  type SettlementsPage,
} from '@gateway/contracts'
import { anOrder, eventually, jsonClient, type JsonClient } from '@gateway/testkit'
import { openMerchant, type Merchant } from './support/merchant.ts'
import { sharedStack, type SharedStack } from './support/running-stack.ts'

const HEADER = 'kind,reference,tr,rrn,amount,fee,tax,status,settled_on,settlement_id,utr'
const SETTLEMENT = `SET-${Date.now()}`

let stack: SharedStack
let owner: Merchant
let ownerCall: JsonClient
let otherCall: JsonClient
const [order, second] = [anOrder(), anOrder()]
let refundId = ''
beforeAll(async () => {
  stack = sharedStack()
  const { description } = stack
  const connect = (name: string) => openMerchant(description, name, [...DEFAULT_SCOPES, 'refunds'])
  const callAs = async ({ gateway }: Merchant) =>
    jsonClient(description.base_url, { authorization: `Bearer ${await gateway.token()}` })
  const other = await connect('Another Ledger')
  owner = await connect('A Ledger')
  ;[ownerCall, otherCall] = await Promise.all([callAs(owner), callAs(other)])
  for (const { order_id } of [order, second]) {
    await owner.gateway.orders.create({ ...order, order_id })
    await owner.gateway.sandbox.simulate({ order_id, outcome: 'success' })
  }
  const isPaid = async ({ order_id }: typeof order) => (await owner.search(order_id)).transaction.status === 'Success'
  await eventually(async () => expect(await Promise.all([order, second].map(isPaid))).toEqual([true, true]), {
    deadlineMs: 40_000,
  })
  const refund = await owner.gateway.refunds.create({ order_id: order.order_id, refund_id: 'RF-1', amount: '100.00' })
  refundId = refund.id
  await settle()
}, 300_000)

/** The day's report of a merchant, once it has so many captures. */
async function captured(call: JsonClient, count: number): Promise<DailyReport['data']['events']> {
  const path = `/api/v1/reports/daily?date=${istDay(new Date())}&format=json`
  return eventually(async () => {
    const { events } = (await call<DailyReport>('GET', path)).body.data
    const captures = events.filter(({ kind }) => kind === 'capture')
    expect(captures).toHaveLength(count)
    return captures
  })
}

/** The bank's file with both captures. */
async function settle(): Promise<void> {
  const { url, token } = stack.description.ledger_operator
  const operator = jsonClient(url, { authorization: `Bearer ${token}` })
  const lines = (await captured(ownerCall, 2)).map(
    ({ reference, amount }) => `capture,${reference},,,${amount},1.00,0.18,succeeded,${istDay(new Date())},${SETTLEMENT},UTR1`,
  )
  const file = [HEADER, ...lines, ''].join('\r\n')
  const uploaded = await operator<{ data: { file: { id: string } } }>('POST', '/operator/v1/settlement-files', file, {
    'content-type': 'text/csv',
  })
  expect(uploaded.status).toBe(202)
  await eventually(
    async () => {
      const path = `/operator/v1/settlement-files/${uploaded.body.data.file.id}`
      expect(await operator('GET', path)).toMatchObject({ body: { data: { file: { state: 'imported' } } } })
    },
    { deadlineMs: 60_000 },
  )
}

// Proves: ledger/other-merchants-see-nothing
test('what is 200 for its merchant is 404 for another, and in no list of the other', async () => {
  const codes = {
    [`/api/v1/orders/${order.order_id}/timeline`]: 'order_not_found',
    [`/api/v1/settlements/${SETTLEMENT}/lines`]: 'settlement_not_found',
    [`/api/v1/refunds/${refundId}`]: 'refund_not_found',
  }
  for (const [path, code] of Object.entries(codes)) {
    expect([path, await ownerCall('GET', path)]).toMatchObject([path, { status: 200 }])
    expect([path, await otherCall('GET', path)]).toMatchObject([path, { status: 404, body: { code } }])
  }
  const listsOf = async (call: JsonClient) => [
    (await call<OrdersPage>('GET', `/api/v1/orders?order_id=${order.order_id}`)).body.data.orders.length,
    (await call<OrdersPage>('GET', '/api/v1/orders')).body.data.orders.length,
    (await call<RefundsPage>('GET', `/api/v1/refunds?order_id=${order.order_id}`)).body.data.refunds.length,
    (await call<SettlementsPage>('GET', '/api/v1/settlements')).body.data.settlements.length,
  ]
  await eventually(async () => expect(await listsOf(ownerCall)).toEqual([1, 2, 1, 1]))
  expect(await listsOf(otherCall)).toEqual([0, 0, 0, 0])
  expect(await captured(otherCall, 0)).toEqual([])
  const { body } = await ownerCall<OrdersPage>('GET', '/api/v1/orders?limit=1')
  const next = `/api/v1/orders?limit=1&cursor=${body.next_cursor ?? ''}`
  expect((await ownerCall<OrdersPage>('GET', next)).body.data.orders).toHaveLength(1)
  expect(await otherCall('GET', next)).toMatchObject({ status: 422, body: { errors: [{ field: '/cursor' }] } })
})

// Proves: ledger/reversed-ranges-are-refused
test('a range that ends before it begins is refused with the name of its field', async () => {
  const times = 'from=2026-11-22T00:00:00Z&to=2026-11-21T00:00:00Z'
  const cases = { [`orders?${times}`]: '/from', [`refunds?${times}`]: '/from', 'orders?amount_min=2&amount_max=1': '/amount_min' }
  for (const [query, field] of Object.entries(cases))
    expect(await ownerCall('GET', `/api/v1/${query}`)).toMatchObject({
      ...{ status: 422, body: { code: 'validation_failed', errors: [{ field }] } },
    })
})

// Proves: access/operators-have-names
test('the upload of the settlement file is in the central audit', async () => {
  const { url, token } = stack.description.operator
  const operator = jsonClient(url, { authorization: `Bearer ${token}` })
  interface Audit {
    readonly data: { readonly entries: readonly { actor: string; target: string | null; outcome: string }[] }
    readonly next_cursor: string | null
  }
  const entries: Audit['data']['entries'][number][] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: string = cursor === '' ? '' : `&cursor=${cursor}`
    const { body } = await operator<Audit>('GET', `/operator/v1/audit?limit=100${page}`)
    entries.push(...body.data.entries)
    cursor = body.next_cursor
  }
  const uploads = entries.filter(({ target }) => target === 'POST /operator/v1/settlement-files')
  // Other tests upload files on this stack, too.
  expect(new Set(uploads.map(({ actor }) => actor))).toEqual(new Set(['operator']))
  expect(uploads.map(({ outcome }) => outcome)).toEqual(expect.arrayContaining(['asked', 'done']))
})
