import { Webhook } from 'standardwebhooks'
import { eventually, type JsonClient } from '@gateway/testkit'
import type { RunningDispatcher } from '../src/service.ts'
import { anEvent, aRefund, codesOf, registerEndpoint } from './builders.ts'
import { startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
let dispatcher: RunningDispatcher
beforeAll(async () => {
  fixture = await startFixture()
  dispatcher = await fixture.start()
})
afterAll(() => fixture.remove())
afterEach(() => {
  fixture.receiver.respondWith(() => ({ status: 200 }))
})

interface Registered {
  readonly data: { readonly url: string; readonly since: string; readonly signing_secret?: string }
}
const register = (api: JsonClient, path: string) =>
  api<Registered>('PUT', '/api/v1/webhooks/refund-endpoint', { url: fixture.receiver.url + path })

let merchants = 0
async function aMerchant() {
  merchants += 1
  const merchantId = `mer_refunds_${merchants}`
  const api = await fixture.as(dispatcher, merchantId)
  const secret = await registerEndpoint(api, `${fixture.receiver.url}/payments`)
  const { body } = await register(api, '/refunds')
  return { merchantId, api, secret, refundSecret: body.data.signing_secret ?? '' }
}
const webhooksOf = (id: string) => fixture.receiver.requests().filter(({ headers }) => headers['webhook-id'] === id)

// Proves: webhooks/refund-body, webhooks/refund-endpoint-is-its-own
test('a refund is one signed POST to the refund endpoint, with that endpoint’s secret', async () => {
  const { merchantId, api, secret, refundSecret } = await aMerchant()
  const event = aRefund(merchantId)
  await fixture.publish(event)
  const record = await fixture.deliveryIs(event.id, 'delivered')
  const [webhook, ...others] = webhooksOf(event.id)
  expect(others).toEqual([])
  expect(webhook).toMatchObject({ method: 'POST', path: '/refunds' })
  expect(webhook?.headers).toMatchObject({ 'webhook-id': event.id, 'webhook-attempt': '1', 'webhook-sequence': '2' })
  const headers = webhook?.headers as Record<string, string>
  expect(new Webhook(refundSecret).verify(webhook?.body ?? '', headers)).toMatchObject({
    type: 'refund.succeeded',
    timestamp: event.occurred_at,
    data: { id: event.data.id, amount: '200.00', status: 'succeeded' },
  })
  expect(() => new Webhook(secret).verify(webhook?.body ?? '', headers)).toThrow('No matching signature')
  expect(record).toMatchObject({ channel: 'refund', merchant_id: merchantId, order_id: event.data.order_id })
  const list = await api<{ data: { deliveries: { id: string; channel: string }[] } }>('GET', '/api/v1/webhooks/deliveries')
  expect(list.body.data.deliveries).toMatchObject([{ id: event.id, channel: 'refund' }])
  await fixture.queuesAreEmpty()
})

// Proves: webhooks/refund-endpoint-is-its-own
test('retries and resends keep the bytes and the refund endpoint; webhooks of payments are not touched', async () => {
  const { merchantId, api, secret, refundSecret } = await aMerchant()
  let failures = 2
  fixture.receiver.respondWith(({ path }) => ({ status: path === '/refunds' && failures-- > 0 ? 500 : 200 }))
  const refund = aRefund(merchantId)
  const payment = anEvent(merchantId)
  await Promise.all([fixture.publish(refund), fixture.publish(payment)])
  expect(codesOf((await fixture.deliveryIs(payment.id, 'delivered')).attempts)).toEqual([200])
  expect(codesOf((await fixture.deliveryIs(refund.id, 'delivered')).attempts)).toEqual([500, 500, 200])
  const resent = await api('POST', `/api/v1/webhooks/deliveries/${refund.id}/resend`, { to: 'current' })
  expect(resent.status).toBe(202)
  await eventually(() => expect(webhooksOf(refund.id)).toHaveLength(4))
  const sent = webhooksOf(refund.id)
  expect(new Set(sent.map(({ path }) => path))).toEqual(new Set(['/refunds']))
  expect(new Set(sent.map(({ body }) => body.toString())).size).toBe(1)
  for (const { body, headers } of sent) new Webhook(refundSecret).verify(body, headers as Record<string, string>)
  const [paid] = webhooksOf(payment.id)
  expect(paid?.path).toBe('/payments')
  new Webhook(secret).verify(paid?.body ?? '', paid?.headers as Record<string, string>)
  await fixture.queuesAreEmpty()
})

// Proves: webhooks/refunds-are-opt-in
test('without a refund endpoint, or before it was registered, there is no webhook and no record', async () => {
  const merchantId = 'mer_no_refund_endpoint'
  const api = await fixture.as(dispatcher, merchantId)
  await registerEndpoint(api, `${fixture.receiver.url}/payments`)
  expect((await api('GET', '/api/v1/webhooks/refund-endpoint')).status).toBe(404)
  const before = aRefund(merchantId)
  const { status, body } = await register(api, '/refunds')
  expect([status, body.data.signing_secret?.startsWith('whsec_')]).toEqual([200, true])
  const after = aRefund(merchantId, { created_at: body.data.since })
  await fixture.publish(before)
  await fixture.publish(after)
  await fixture.deliveryIs(after.id, 'delivered')
  await fixture.queuesAreEmpty()
  expect([webhooksOf(before.id), await fixture.delivery(before.id)]).toEqual([[], null])
  const again = await register(api, '/refunds')
  expect(again.body.data).not.toHaveProperty('signing_secret')
  const rotated = await api<{ data: { signing_secret: string } }>('POST', '/api/v1/webhooks/refund-endpoint/rotate-secret', {})
  expect(rotated.body.data.signing_secret).not.toBe(body.data.signing_secret)
})

// Proves: webhooks/refund-endpoint-is-its-own
test('a refund endpoint that answers 410 is disabled alone, and is enabled alone', async () => {
  const { merchantId, api } = await aMerchant()
  fixture.receiver.respondWith(({ path }) => ({ status: path === '/refunds' ? 410 : 200 }))
  const refund = aRefund(merchantId)
  await fixture.publish(refund)
  await fixture.deliveryIs(refund.id, 'dead')
  const endpoint = async (name: string) =>
    (await api<{ data: { disabled: unknown } }>('GET', `/api/v1/webhooks/${name}`)).body.data
  await eventually(async () => expect(await endpoint('refund-endpoint')).toMatchObject({ disabled: { reason: 'gone' } }))
  expect(await endpoint('endpoint')).toMatchObject({ disabled: null })
  expect((await api('POST', '/api/v1/webhooks/refund-endpoint/enable', {})).status).toBe(200)
  expect(await endpoint('refund-endpoint')).toMatchObject({ disabled: null })
})

test('an event that comes again is one webhook', async () => {
  const { merchantId } = await aMerchant()
  const event = aRefund(merchantId)
  await fixture.publish(event)
  await fixture.deliveryIs(event.id, 'delivered')
  await fixture.publish(event)
  await fixture.queuesAreEmpty()
  expect((await fixture.deliveryIs(event.id, 'delivered')).attempts).toHaveLength(1)
})
