import type { CreateOrderResponse } from '@gateway/contracts'
import type { Publisher } from '@gateway/messaging'
import { anOrder, eventually, publisherAround, type JsonClient } from '@gateway/testkit'
import { startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
let merchant: JsonClient
const hanging = { on: false }

/** Lets a test make publishing hang, like a broker that never confirms. */
function canHang(real: Publisher): Publisher {
  return publisherAround(real, async (message) => {
    if (hanging.on) await eventually(() => expect(hanging.on).toBe(false), { deadlineMs: 60_000 })
    await real.publish(message)
  })
}

beforeAll(async () => {
  fixture = await startFixture(canHang)
  merchant = await fixture.as('M1')
})
afterAll(() => fixture.stop())

const create = (body: unknown) => merchant<CreateOrderResponse>('POST', '/api/v1/orders/create', body)
const readiness = () => merchant<{ status: string; checks: Record<string, string> }>('GET', '/readyz')

const allPublished = () =>
  eventually(
    async () => {
      for (const { outbox } of await fixture.documents()) expect(outbox).toEqual([])
    },
    { deadlineMs: 30_000 },
  )

// Proves: faults/database-away-at-order-api
test('database unavailable: 503, nothing half-written, and the service recovers by itself', async () => {
  const order = anOrder()
  fixture.databaseProxy.cut()
  const away = await create(order)
  expect(away).toMatchObject({ status: 503, body: { code: 'database_unavailable' } })
  expect(away.headers.get('retry-after')).not.toBeNull()
  expect(await readiness()).toMatchObject({ status: 503, body: { checks: { database: 'down' } } })
  expect(await merchant('GET', '/healthz')).toMatchObject({ status: 200 })

  fixture.databaseProxy.restore()
  await eventually(async () => expect((await create(order)).status).toBe(201))
  expect((await fixture.documents()).filter(({ _id }) => _id === `M1:${order.order_id}`)).toHaveLength(1)
  await eventually(async () => expect((await readiness()).status).toBe(200))
})

// Proves: broker/broker-away-creates-callbacks-still-succeed, broker/readiness-without-the-broker
// Proves: faults/broker-away-loses-no-event
test('broker unavailable: creates still succeed, and every event is published when it is back', async () => {
  await allPublished()
  const before = await fixture.sandbox.messageCount(fixture.queue)
  fixture.brokerProxy.cut()
  await eventually(async () => expect((await readiness()).body).toMatchObject({ status: 'degraded', checks: { broker: 'down' } }))
  const answers = await Promise.all(Array.from({ length: 30 }, () => create(anOrder())))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  expect(await fixture.sandbox.messageCount(fixture.queue)).toBe(before)

  fixture.brokerProxy.restore()
  await eventually(async () => expect(await fixture.sandbox.messageCount(fixture.queue)).toBeGreaterThanOrEqual(before + 30), {
    deadlineMs: 30_000,
  })
  await allPublished()
})

// Proves: faults/create-503-with-too-many-events
test('unpublished events pile up: 503 with Retry-After until they are published', async () => {
  hanging.on = true
  expect((await create(anOrder())).status).toBe(201)
  const refused = await eventually(
    async () => {
      const answer = await create(anOrder())
      expect(answer.status).toBe(503)
      return answer
    },
    { pauseMs: 200 },
  )
  expect(refused.body).toMatchObject({ code: 'backlog' })
  expect(refused.headers.get('retry-after')).toBe('1')

  hanging.on = false
  await eventually(async () => expect((await create(anOrder())).status).toBe(201))
})
