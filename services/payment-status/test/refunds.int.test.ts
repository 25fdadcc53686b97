import { compile, refundStatusChangedSchema, type AuditRecord } from '@gateway/contracts'
import { eventually } from '@gateway/testkit'
import { startFixture } from './fixture.ts'
import { startRefundNetwork } from './refund-network.ts'
import { startRefundWorld, type RefundAnswer, type RefundWorld } from './refund-world.ts'

/** What may be published: unknown fields are refused. */
const refundStatusChanged = compile(refundStatusChangedSchema)

let world: RefundWorld
beforeAll(async () => {
  world = await startRefundWorld()
})
afterAll(() => world.fixture.stop())

// Proves: refunds/accepted-in-the-capture-document, refunds/original-instrument-only
test('a refund is accepted, paid once by the network, told by events and found by search', async () => {
  const { orderId, transactionId } = await world.openPaid()
  const { status, body } = await world.request(orderId, 'RF-1', '200', world.merchant, { reason: 'returned', note: 'too small' })
  expect(status).toBe(201)
  const { refund } = body.data
  expect(refund).toMatchObject({
    id: `${transactionId}R01`,
    refund_id: 'RF-1',
    order_id: orderId,
    transaction_id: transactionId,
    amount: '200.00',
    currency: 'INR',
    status: 'pending',
    pending_reason: 'queued',
    failure_code: null,
    rrn: null,
    sequence: 1,
    reason: 'returned',
    note: 'too small',
    completed_at: null,
  })
  await world.ends(refund.id, { status: 'succeeded', pending_reason: null, rrn: '998877665544', sequence: 2 })
  expect(world.network.paid.get(refund.id)).toMatchObject({
    reference: `REF-${transactionId}`,
    tr: transactionId,
    amount: '200.00',
  })
  expect(world.network.asked.get(refund.id)).toEqual(['request'])
  const found = await world.search(orderId)
  expect(found).toMatchObject({ status: 'Success', sequence: 2, amount_refunded: '200.00', amount_refundable: '299.00' })
  expect(found.refunds).toEqual([await world.find(refund.id)])
  await eventually(async () => expect(await world.eventsOf(transactionId)).toHaveLength(2))
  const [first, second] = await world.eventsOf(transactionId)
  expect([refundStatusChanged(first), refundStatusChanged(second)]).toEqual([true, true])
  expect(first).toMatchObject({ id: `${refund.id}.1`, data: { status: 'pending', refunded_paise: 0 } })
  expect(second).toMatchObject({
    id: `${refund.id}.2`,
    data: { status: 'succeeded', refunded_paise: 20_000, captured_paise: 49_900 },
  })
})

// Proves: refunds/same-request-same-refund
test('the same fields again give the same refund with 200, other fields 409', async () => {
  const { orderId } = await world.openPaid()
  const { body } = await world.request(orderId, 'RF-1', '499')
  const again = await world.request(orderId, 'RF-1', '499.00')
  expect([again.status, again.body.data.refund.id]).toEqual([200, body.data.refund.id])
  const other = await world.request(orderId, 'RF-1', '498')
  expect([other.status, other.body.code]).toEqual([409, 'refund_id_conflict'])
  expect(world.network.paid.size).toBeGreaterThan(0)
})

// Proves: refunds/refusals
test('refusals: unknown or foreign order, not paid, too much, no amount, no scope', async () => {
  const { orderId, transactionId } = await world.openPaid()
  const { data: unpaid } = await world.fixture.open()
  const stranger = await world.fixture.as('M2', ['refunds'])
  const reader = await world.fixture.as('M1', ['read'])
  const refused = async (answer: Promise<RefundAnswer>, status: number, code: string) =>
    expect(await answer).toMatchObject({ status, body: { code } })
  await refused(world.request('ORD-unknown', 'RF-1', '1'), 404, 'order_not_found')
  await refused(world.request(orderId, 'RF-1', '1', stranger), 404, 'order_not_found')
  await refused(world.request(unpaid.order_id, 'RF-1', '1'), 409, 'order_not_refundable')
  await refused(world.request(orderId, 'RF-1', '499.01'), 409, 'refund_exceeds_captured')
  expect((await world.request(orderId, 'RF-1', '499.01')).body.detail).toContain('499.00')
  await refused(world.request(orderId, 'RF-1', '0.00'), 422, 'validation_failed')
  await refused(world.request(orderId, 'RF-1', '1.001'), 422, 'validation_failed')
  await refused(world.merchant('POST', '/api/v1/refunds', { order_id: orderId, refund_id: 'RF-1' }), 422, 'validation_failed')
  await refused(
    world.merchant('POST', '/api/v1/refunds', { order_id: orderId, refund_id: 'RF-1', amount: 200 }),
    422,
    'validation_failed',
  )
  await refused(world.request(orderId, 'RF-1', '1', reader), 403, 'scope_missing')
  await refused(stranger('GET', `/api/v1/refunds/${transactionId}R01`), 404, 'refund_not_found')
  await refused(world.merchant('GET', `/api/v1/refunds/${transactionId}R01`), 404, 'refund_not_found')
  await world.request(orderId, 'RF-1', '1')
  await refused(stranger('GET', `/api/v1/refunds/${transactionId}R01`), 404, 'refund_not_found')
  expect((await reader('GET', `/api/v1/refunds/${transactionId}R01`)).status).toBe(200)
})

// Proves: refunds/found-by-own-id
test('a refund is found by the gateway’s id, and by the merchant’s own within its order, also when one looks like the other', async () => {
  const [one, other] = [await world.openPaid(), await world.openPaid()]
  // Two orders with the same refund_id, and a refund_id that is the gateway's id of another refund.
  const like = `${one.transactionId}R01`
  for (const { orderId } of [one, other]) expect((await world.request(orderId, 'RF-1', '1')).status).toBe(201)
  expect((await world.request(other.orderId, like, '2')).status).toBe(201)
  const stranger = await world.fixture.as('M2', ['refunds'])
  const found = async (path: string, as = world.merchant) => {
    const { status, body } = await as<RefundAnswer['body']>('GET', `/api/v1/refunds/${path}`)
    return status === 200 ? body.data.refund.id : [status, body.code]
  }
  expect(await found(like)).toBe(like)
  expect(await found(`RF-1?order_id=${one.orderId}`)).toBe(like)
  expect(await found(`RF-1?order_id=${other.orderId}`)).toBe(`${other.transactionId}R01`)
  expect(await found(`${like}?order_id=${other.orderId}`)).toBe(`${other.transactionId}R02`)
  const missing = [404, 'refund_not_found']
  for (const path of ['RF-1', `RF-2?order_id=${one.orderId}`, `${like}?order_id=${one.orderId}`, 'RF-1?order_id=ORD-none'])
    expect([path, await found(path)]).toEqual([path, missing])
  expect(await found(`RF-1?order_id=${one.orderId}`, stranger)).toEqual(missing)
  for (const query of ['order_id=x', 'order_id=', 'order=1', `order_id=${one.orderId}&order_id=${other.orderId}`])
    expect([query, await found(`RF-1?${query}`)]).toEqual([query, [422, 'validation_failed']])
})

// Proves: refunds/refusals
test('too old, and one refund too many', async () => {
  const { orderId, transactionId } = await world.openPaid()
  for (let n = 1; n <= 20; n++) expect((await world.request(orderId, `RF-${n}`, '1')).status).toBe(201)
  expect((await world.request(orderId, 'RF-21', '1')).body.code).toBe('too_many_refunds')
  await world.ends(`${transactionId}R20`, { status: 'succeeded' })
  const { orderId: oldOrder, transactionId: old } = await world.openPaid()
  const transactions = world.fixture.sandbox.client.db(world.fixture.config.database).collection<{ _id: string }>('transactions')
  await transactions.updateOne({ _id: old }, { $set: { final_at: new Date(Date.now() - 181 * 86_400_000) } })
  expect((await world.request(oldOrder, 'RF-1', '1')).body.code).toBe('refund_window_closed')
})

// Proves: refunds/not-supported-without-the-capability
test('a connector without refunds makes none', async () => {
  const old = await startFixture()
  try {
    startRefundNetwork(old, { contract: 1 })
    const { data } = await old.open()
    await old.report({ tr: data.transaction_id })
    const client = await old.as('M1', ['refunds'])
    expect(await world.request(data.order_id, 'RF-1', '1', client)).toMatchObject({
      status: 409,
      body: { code: 'refunds_not_supported' },
    })
  } finally {
    await old.stop()
  }
})

// Proves: access/refunds-are-audited, access/refusals-are-one-entry
test('the audit says which credential asked for which refund, and nothing of the shopper; a repeated request is no entry', async () => {
  const { audit } = world.fixture
  const entriesOf = (refundId: string) =>
    audit.requests.map(({ body }) => body as AuditRecord).filter(({ target }) => target?.startsWith(`refund_id=${refundId} `))
  const { orderId } = await world.openPaid()
  for (let round = 0; round < 2; round++) await world.request(orderId, 'RF-AUDITED', '200', world.merchant, { note: 'too small' })
  expect((await world.request(orderId, 'RF-REFUSED', '9999')).status).toBe(409)
  const shared = { who: 'merchant', action: 'refund.create', merchant_id: 'M1', credential_id: 'key_sandbox_test' }
  expect(entriesOf('RF-AUDITED')).toMatchObject([
    { ...shared, outcome: 'asked', target: 'refund_id=RF-AUDITED amount=200.00' },
    { ...shared, outcome: 'done', target: 'refund_id=RF-AUDITED amount=200.00' },
  ])
  expect(entriesOf('RF-REFUSED')).toMatchObject([{ ...shared, outcome: 'refused' }])

  audit.answer(() => ({ status: 500 }))
  const unaudited = await world.request(orderId, 'RF-UNAUDITED', '1')
  audit.answer(() => ({ status: 204 }))
  expect([unaudited.status, unaudited.body.code]).toEqual([503, 'audit_unavailable'])
  expect((await world.search(orderId)).refunds).toHaveLength(1)
})
