import type { WebhookTimeline } from '@gateway/contracts'
import { jsonClient } from '@gateway/testkit'
import { anEvent, aRefund, registerEndpoint } from './builders.ts'
import { startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()))
afterAll(() => fixture.remove())

const LEDGER_TOKEN = 'token-of-the-ledger-in-integration-tests'
const CHECKOUT_TOKEN = 'token-of-checkout-in-integration-tests'

// Proves: ledger/timeline-tells-the-whole-payment
test('each attempt of the webhooks of one transaction is told, and why a webhook was not sent', async () => {
  const dispatcher = await fixture.start(
    {},
    {
      callers: new Map([
        ['ledger', [LEDGER_TOKEN]],
        ['checkout', [CHECKOUT_TOKEN]],
      ]),
    },
  )
  const client = jsonClient(`http://127.0.0.1:${dispatcher.port}`)
  const read = async (orderId: string, token = LEDGER_TOKEN, merchantId = 'M1') =>
    client<WebhookTimeline>('GET', `/internal/v1/timelines/${merchantId}/${orderId}`, undefined, {
      authorization: `Bearer ${token}`,
    })
  const merchant = await fixture.as(dispatcher, 'M1')
  await registerEndpoint(merchant, fixture.receiver.url)
  await merchant('PUT', '/api/v1/webhooks/refund-endpoint', { url: fixture.receiver.url })

  const sent = anEvent('M1')
  await fixture.publish(sent)
  await fixture.deliveryIs(sent.id, 'delivered')
  const { status, body } = await read(sent.data.order_id)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    events: [
      {
        kind: 'webhook.attempt',
        source: 'webhooks',
        sequence: 2,
        detail: { attempt: 1, result: 'acknowledged', status_code: 200, url_origin: new URL(fixture.receiver.url).origin },
      },
    ],
  })

  const refund = aRefund('M1', {
    ...{ transaction_id: sent.data.transaction_id, order_id: sent.data.order_id, id: `${sent.data.transaction_id}R01` },
  })
  const refunded = { ...refund, id: `${refund.data.id}.2` }
  for (const event of [refunded, anEvent('M1')]) {
    await fixture.publish(event)
    await fixture.deliveryIs(event.id, 'delivered')
  }
  expect((await read(sent.data.order_id)).body.events).toMatchObject([
    { kind: 'webhook.attempt', sequence: 2, detail: expect.not.objectContaining({ refund: expect.anything() }) },
    { kind: 'webhook.attempt', sequence: 2, detail: { refund: refund.data.id, attempt: 1, result: 'acknowledged' } },
  ])

  // Given up, and sent again by the merchant: the timeline keeps the lines that it had.
  fixture.receiver.respondWith(() => ({ status: 500 }))
  const failing = anEvent('M1')
  await fixture.publish(failing)
  await fixture.deliveryIs(failing.id, 'dead')
  const before = (await read(failing.data.order_id)).body.events
  expect(before.map(({ kind }) => kind)).toEqual([...Array<string>(4).fill('webhook.attempt'), 'webhook.dead'])
  expect(before.at(-1)).toMatchObject({ sequence: 2, detail: { reason: 'exhausted', attempts: 4 } })
  fixture.receiver.respondWith(() => ({ status: 200 }))
  const resent = await merchant('POST', `/api/v1/webhooks/deliveries/${failing.id}/resend`, { to: 'current' })
  expect(resent.status).toBe(202)
  await fixture.deliveryIs(failing.id, 'delivered')
  const { events } = (await read(failing.data.order_id)).body
  expect(events).toEqual(expect.arrayContaining([...before]))
  expect(events.filter((event) => !before.some(({ at, kind }) => at === event.at && kind === event.kind))).toMatchObject([
    { kind: 'webhook.attempt', detail: { attempt: 5, result: 'acknowledged' } },
    { kind: 'webhook.resent', detail: { after_attempts: 4 } },
  ])

  const unsent = anEvent('M2')
  await fixture.publish(unsent)
  await fixture.deliveryIs(unsent.id, 'dead')
  expect((await read(unsent.data.order_id, LEDGER_TOKEN, 'M2')).body.events).toMatchObject([
    { kind: 'webhook.dead', detail: { reason: 'no_endpoint' } },
  ])
  for (const id of ['ORD-unknown', unsent.data.order_id]) expect((await read(id)).body.events).toEqual([])
  for (const token of ['x'.repeat(32), CHECKOUT_TOKEN])
    expect(await read(sent.data.order_id, token)).toMatchObject({ status: 401 })
  await fixture.stop(dispatcher)
})
