import type { OrderTimeline } from '@gateway/contracts'
import { eventually } from '@gateway/testkit'
import { startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()))
afterAll(() => fixture.stop())

const attempt = (orderId: string, sequence: number, at: string) => ({
  at,
  kind: 'webhook.attempt',
  source: 'webhooks',
  sequence,
  detail: { attempt: 1, status_code: 200, of: orderId },
})

// Proves: ledger/timeline-tells-the-whole-payment
test('payment and webhooks are one timeline; a service that is away is named', async () => {
  const { paymentStatus, dispatcher } = fixture
  const { data } = await paymentStatus.open()
  await paymentStatus.report({ tr: data.transaction_id })
  await eventually(async () => expect(await fixture.find(data.transaction_id)).toMatchObject({ status: 'Success' }))
  const finalAt = (await fixture.find(data.transaction_id))?.final_at?.toISOString() ?? ''
  dispatcher.answer(({ path }) => {
    const [merchantId, orderId = ''] = path.split('/').slice(-2)
    expect([merchantId, orderId]).toEqual(['M1', data.order_id])
    return { status: 200, body: { events: [attempt(orderId, 2, finalAt), attempt(orderId, 1, data.created_at)] } }
  })
  const merchant = await fixture.as('M1')
  const read = async () => (await merchant<OrderTimeline>('GET', `/api/v1/orders/${data.order_id}/timeline`)).body
  // How often the network was asked by then depends on the machine.
  const kindsOf = ({ data: { events } }: OrderTimeline) =>
    events.filter(({ kind }) => kind !== 'enquiry.answered').map(({ kind, sequence }) => `${kind} ${sequence ?? ''}`.trim())

  const whole = await read()
  expect(whole.incomplete).toEqual([])
  expect(kindsOf(whole)).toEqual([
    'order.created',
    'status.changed 1',
    'webhook.attempt 1',
    'attempt.started',
    'report.received',
    'attempt.succeeded',
    'status.changed 2',
    'webhook.attempt 2',
  ])

  dispatcher.answer(() => 'reset')
  const withoutWebhooks = await read()
  expect(withoutWebhooks.incomplete).toEqual(['webhooks'])
  expect(kindsOf(withoutWebhooks)).toEqual(kindsOf(whole).filter((kind) => !kind.startsWith('webhook')))

  paymentStatus.databaseProxy.cut()
  const neither = await read()
  expect(neither.incomplete).toEqual(['payments', 'webhooks'])
  expect(kindsOf(neither)).toEqual(['order.created'])
  // It may exist, so this is no 404.
  expect(await merchant('GET', '/api/v1/orders/ORD-unknown/timeline')).toMatchObject({ status: 503 })
  paymentStatus.databaseProxy.restore()
})

test('an order of another merchant, and one that does not exist, are 404; the scope read is needed', async () => {
  const { data } = await fixture.paymentStatus.open()
  const path = `/api/v1/orders/${data.order_id}/timeline`
  const notFound = { status: 404, body: { code: 'order_not_found' } }
  expect(await (await fixture.as('M2'))('GET', path)).toMatchObject(notFound)
  expect(await (await fixture.as('M1'))('GET', '/api/v1/orders/ORD-unknown/timeline')).toMatchObject(notFound)
  expect(await (await fixture.as('M1', ['orders']))('GET', path)).toMatchObject({ status: 403 })
})
