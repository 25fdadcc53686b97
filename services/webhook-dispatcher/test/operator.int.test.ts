import type { RunningDispatcher } from '../src/service.ts'
import type { DeliveryDocument } from '../src/deliveries/persistence/delivery-document.ts'
import { anEvent, codesOf, registerEndpoint } from './builders.ts'
import { startFixture, type Fixture } from './fixture.ts'

interface Dead {
  readonly data: { readonly deliveries: readonly { readonly id: string; readonly dead_reason: string }[] }
  readonly next_cursor: string | null
}

let fixture: Fixture
let dispatcher: RunningDispatcher
beforeAll(async () => {
  fixture = await startFixture()
  dispatcher = await fixture.start()
})
afterAll(() => fixture.remove())

let merchants = 0
/** A merchant with so many deliveries that ran out of attempts. */
async function aMerchantWithDead(count: number) {
  const merchantId = `mer_operator_${(merchants += 1)}`
  await registerEndpoint(await fixture.as(dispatcher, merchantId), fixture.receiver.url)
  fixture.receiver.respondWith(() => ({ status: 503, body: 'closed' }))
  const events = Array.from({ length: count }, () => anEvent(merchantId))
  for (const event of events) await fixture.publish(event)
  for (const { id } of events) await fixture.deliveryIs(id, 'dead')
  return { merchantId, ids: events.map(({ id }) => id) }
}

// Proves: api/operators-replay-dead-deliveries, webhooks/exhausted-deliveries-are-dead
// Proves: webhooks/dead-queue-holds-poison-only
test('an exhausted delivery is dead in the record, not in a queue, and a replay delivers it', async () => {
  const operator = fixture.operator(dispatcher)
  const { merchantId, ids } = await aMerchantWithDead(1)
  const [id = ''] = ids
  const record = await fixture.deliveryIs(id, 'dead')
  expect(record).toMatchObject({ dead_reason: 'exhausted', next_attempt_at: null, attempt_count: 4 })
  await fixture.queuesAreEmpty()

  const listed = await operator<Dead>('GET', `/operator/v1/deliveries/dead?merchant_id=${merchantId}`)
  expect(listed.body.data.deliveries).toMatchObject([{ id, dead_reason: 'exhausted', merchant_id: merchantId }])
  const inspected = await operator('GET', `/operator/v1/deliveries/${id}`)
  expect(inspected).toMatchObject({ status: 200, body: { data: { delivery: { id, body: record.body } } } })

  fixture.receiver.respondWith(() => ({ status: 200 }))
  expect(await operator('POST', `/operator/v1/deliveries/${id}/replay`)).toMatchObject({ status: 202 })
  expect(codesOf((await fixture.deliveryIs(id, 'delivered')).attempts)).toEqual([503, 503, 503, 503, 200])
  expect(await operator('POST', `/operator/v1/deliveries/${id}/replay`)).toMatchObject({
    status: 409,
    body: { code: 'delivery_not_dead' },
  })
  const metrics = await operator<string>('GET', '/metrics')
  expect(metrics.body).toMatch(/alerts_total\{kind="webhook_dead",service="webhook-dispatcher"\} 1/u)
  expect(metrics.body).toMatch(/webhook_attempts_total\{result="acknowledged",service="webhook-dispatcher"\} \d/u)
})

// Proves: api/operators-replay-dead-deliveries
test('many are replayed at once, filtered by limit, time and merchant', async () => {
  const operator = fixture.operator(dispatcher)
  const other = await aMerchantWithDead(1)
  const { merchantId, ids } = await aMerchantWithDead(3)
  fixture.receiver.respondWith(() => ({ status: 200 }))

  const replay = (body: object) => operator('POST', '/operator/v1/deliveries/replay', body)
  const past = { from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' }
  expect(await replay({ merchant_id: merchantId, ...past, limit: 10 })).toMatchObject({
    status: 202,
    body: { data: { replayed: 0 } },
  })
  expect(await replay({ merchant_id: merchantId, limit: 2 })).toMatchObject({ status: 202, body: { data: { replayed: 2 } } })
  expect(await replay({ merchant_id: merchantId, limit: 10 })).toMatchObject({ status: 202, body: { data: { replayed: 1 } } })
  for (const id of ids) await fixture.deliveryIs(id, 'delivered')
  expect((await fixture.delivery(other.ids[0] ?? ''))?.status).toBe('dead')
})

// Proves: webhooks/operators-list-and-replay
test('lists are filtered by merchant, time, reason and URL, page by page', async () => {
  const operator = fixture.operator(dispatcher)
  const { merchantId, ids } = await aMerchantWithDead(3)
  const [first = '', second = '', third = ''] = ids
  const records = fixture.sandbox.client.db(fixture.database).collection<DeliveryDocument>('deliveries')
  const set = (id: string, fields: Partial<DeliveryDocument>) => records.updateOne({ _id: id }, { $set: fields })
  const url = 'https://a+b.example/x?y=(1)'
  await set(first, { created_at: new Date('2026-01-01T00:00:00Z'), url })
  await set(second, { created_at: new Date('2026-01-02T00:00:00Z'), dead_reason: 'endpoint_disabled' })
  await set(third, { created_at: new Date('2026-01-03T00:00:00Z'), last_result: 'timeout' })

  const idsOf = async (query: Record<string, string>) => {
    const text = new URLSearchParams({ status: 'dead', merchant_id: merchantId, ...query }).toString()
    const { status, body } = await operator<Dead>('GET', `/operator/v1/deliveries?${text}`)
    expect(status).toBe(200)
    return body.data.deliveries.map(({ id }) => id)
  }
  expect(await idsOf({})).toEqual([third, second, first])
  expect(await idsOf({ from: '2026-01-02T00:00:00Z' })).toEqual([third, second])
  expect(await idsOf({ from: '2026-01-02T00:00:00Z', to: '2026-01-03T00:00:00Z' })).toEqual([second])
  expect(await idsOf({ reason: 'endpoint_disabled' })).toEqual([second])
  expect(await idsOf({ reason: 'timeout' })).toEqual([third])
  expect(await idsOf({ reason: '503' })).toEqual([second, first])
  expect(await idsOf({ url })).toEqual([first])
  expect(await idsOf({ url: 'https://a+b.example/' })).toEqual([first])
  expect(await idsOf({ url: 'https://a.b.example/' })).toEqual([])
  expect(await idsOf({ url: '.*' })).toEqual([])
  expect(await idsOf({ status: 'retrying' })).toEqual([])
  const ofAll = await operator<Dead>('GET', `/operator/v1/deliveries?${new URLSearchParams({ status: 'dead', url }).toString()}`)
  expect(ofAll.body.data.deliveries.map(({ id }) => id)).toEqual([first])
  await set(first, { status: 'retrying', next_attempt_at: new Date(Date.now() + 60_000), dead_reason: null })
  expect(await idsOf({ status: 'retrying' })).toEqual([first])

  const page = await operator<Dead>('GET', `/operator/v1/deliveries?status=dead&merchant_id=${merchantId}&limit=1`)
  expect(page.body.data.deliveries.map(({ id }) => id)).toEqual([third])
  expect(await idsOf({ limit: '1', cursor: page.body.next_cursor ?? '' })).toEqual([second])
  const { body } = await operator<{ data: { delivery: object } }>('GET', `/operator/v1/deliveries/${third}`)
  const address = `127.0.0.1:${fixture.receiver.port}`
  expect(body.data.delivery).toMatchObject({ attempts: [1, 2, 3, 4].map((number) => ({ number, address, status_code: 503 })) })
})

// Proves: webhooks/operators-list-and-replay
test('a replay that was interrupted and started again sends each delivery exactly once', async () => {
  const operator = fixture.operator(dispatcher)
  const { merchantId, ids } = await aMerchantWithDead(4)
  fixture.receiver.clear()
  fixture.receiver.respondWith(() => ({ status: 200 }))
  const replay = (more: object) =>
    operator<{ data: { replayed: number; skipped: number }; next_cursor: string | null }>(
      'POST',
      '/operator/v1/deliveries/replay',
      {
        merchant_id: merchantId,
        ...more,
      },
    )
  const half = await replay({ limit: 2, rate: 100 })
  expect(half.body).toMatchObject({ data: { replayed: 2, skipped: 0 }, next_cursor: expect.any(String) })
  // One caller never saw that answer and starts again; another continues from it at the same time.
  const [restarted, continued] = await Promise.all([replay({ limit: 10 }), replay({ limit: 10, cursor: half.body.next_cursor })])
  expect(restarted.body.data.replayed + continued.body.data.replayed).toBe(2)
  expect([restarted.body.next_cursor, continued.body.next_cursor]).toEqual([null, null])
  for (const id of ids) expect((await fixture.deliveryIs(id, 'delivered')).attempt_count).toBe(5)
  expect(fixture.receiver.requests()).toHaveLength(4)
})

test('a replay goes to the current URL when asked to', async () => {
  const operator = fixture.operator(dispatcher)
  const { merchantId, ids } = await aMerchantWithDead(2)
  await registerEndpoint(await fixture.as(dispatcher, merchantId), `${fixture.receiver.url}/new`)
  fixture.receiver.clear()
  fixture.receiver.respondWith(() => ({ status: 200 }))
  const [one = '', other = ''] = ids
  await operator('POST', `/operator/v1/deliveries/${one}/replay`, { target: 'current' })
  await operator('POST', '/operator/v1/deliveries/replay', { merchant_id: merchantId, limit: 5, target: 'current' })
  for (const id of [one, other]) await fixture.deliveryIs(id, 'delivered')
  expect(fixture.receiver.requests().map(({ path }) => path)).toEqual(['/new', '/new'])
})

// Proves: api/operator-port-and-token
test('only operators may call, and only with valid requests', async () => {
  const operator = fixture.operator(dispatcher)
  const path = '/operator/v1/deliveries/dead'
  expect(await operator('GET', path, undefined, { authorization: 'Bearer wrong' })).toMatchObject({ status: 401 })
  expect(await operator('GET', path, undefined, { authorization: '' })).toMatchObject({ status: 401 })
  expect(await operator('GET', '/operator/v1/deliveries/nothing.1')).toMatchObject({
    status: 404,
    body: { code: 'delivery_not_found' },
  })
  expect(await operator('POST', '/operator/v1/deliveries/replay', {})).toMatchObject({ status: 422 })
  for (const body of [
    { limit: 1001 },
    { limit: 1, rate: 201 },
    { limit: 1, rate: 0 },
    { limit: 1, target: 'https://evil.example' },
  ]) {
    expect(await operator('POST', '/operator/v1/deliveries/replay', body)).toMatchObject({ status: 422 })
  }
  for (const query of ['', '?status=delivered', '?status=dead&url[$ne]=', '?status=dead&from=today', '?status=dead&limit=101']) {
    expect(await operator('GET', `/operator/v1/deliveries${query}`)).toMatchObject({ status: 422 })
  }
  const merchant = await fixture.as(dispatcher, 'mer_x')
  expect(await merchant('GET', path)).toMatchObject({ status: 404 })
})

// Proves: webhooks/operator-undoes-theft
test('after a theft an operator undoes the changes of the URL and expires the earlier secrets, at once', async () => {
  const merchantId = 'mer_operator_theft'
  const api = await fixture.as(dispatcher, merchantId)
  const operator = fixture.operator(dispatcher)
  const path = '/api/v1/webhooks/endpoint'
  const own = `${fixture.receiver.url}/own`
  await registerEndpoint(api, own)
  const since = new Date().toISOString()
  for (const name of ['thief-1', 'thief-2']) await api('PUT', path, { url: `${fixture.receiver.url}/${name}` })
  expect(await api('POST', `${path}/rotate-secret`)).toMatchObject({ status: 200 })

  const reset = `/operator/v1/endpoints/${merchantId}`
  expect(await operator('POST', `${reset}/undo-changes`, { since })).toMatchObject({
    status: 200,
    body: { data: { merchant_id: merchantId, url: own, undone: 2 } },
  })
  expect(await operator('POST', `${reset}/expire-secrets`)).toMatchObject({ status: 200, body: { data: { expired: 1 } } })
  expect(await api('GET', path)).toMatchObject({ body: { data: { url: own } } })

  const event = anEvent(merchantId)
  fixture.receiver.respondWith(() => ({ status: 200 }))
  await fixture.publish(event)
  const { path: sentTo, headers } = await fixture.receiver.waitFor((webhook) => webhook.headers['webhook-id'] === event.id)
  expect(sentTo).toBe('/own')
  expect(String(headers['webhook-signature']).split(' ')).toHaveLength(1)
  expect(await operator('POST', `${reset}/undo-changes`, { since: '2020-01-01T00:00:00Z' })).toMatchObject({
    status: 200,
    body: { data: { url: null, refund_url: null, undone: 1 } },
  })
  expect(await operator('POST', `${reset}/undo-changes`, { since })).toMatchObject({ status: 404 })
  expect(await operator('POST', '/operator/v1/endpoints/mer_nobody/expire-secrets')).toMatchObject({ status: 404 })
})

// Proves: webhooks/operator-undoes-theft
test('both endpoints are reset: the own one gets its URL back, one that the thief registered first is gone', async () => {
  const merchantId = 'mer_operator_channels'
  const api = await fixture.as(dispatcher, merchantId)
  const operator = fixture.operator(dispatcher)
  const [path, refundPath] = ['/api/v1/webhooks/endpoint', '/api/v1/webhooks/refund-endpoint']
  const urlOf = (name: string) => ({ url: `${fixture.receiver.url}/${name}` })
  await api('PUT', refundPath, urlOf('own'))
  const since = new Date().toISOString()
  await api('PUT', refundPath, urlOf('thief'))
  await api('PUT', path, urlOf('thief'))
  for (const own of [path, refundPath]) await api('POST', `${own}/rotate-secret`)

  const reset = `/operator/v1/endpoints/${merchantId}`
  expect(await operator('POST', `${reset}/expire-secrets`)).toMatchObject({ status: 200, body: { data: { expired: 2 } } })
  expect(await operator('POST', `${reset}/undo-changes`, { since })).toMatchObject({
    status: 200,
    body: { data: { url: null, refund_url: urlOf('own').url, undone: 2 } },
  })
  expect(await api('GET', refundPath)).toMatchObject({ body: { data: urlOf('own') } })
  expect(await api('GET', path)).toMatchObject({ status: 404, body: { code: 'endpoint_not_found' } })
  // The thief has seen the secret of the endpoint that is gone: the next registration makes another one.
  expect(await api('PUT', path, urlOf('own'))).toMatchObject({
    status: 200,
    body: { data: { signing_secret: expect.stringMatching(/^whsec_/u) } },
  })
})
