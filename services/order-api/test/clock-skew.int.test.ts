/** Replicas of order-api whose clocks differ by a minute. */
import type { CreateOrderResponse, OrderCreated } from '@gateway/contracts'
import { anOrder, eventually, jsonClient, type JsonClient } from '@gateway/testkit'
import { silentLog, stopAll } from '@gateway/service-kit'
import { startOrderApi, type RunningOrderApi } from '../src/service.ts'
import { startFixture, type Fixture } from './fixture.ts'

const ORDERS = 20
let fixture: Fixture
let replicas: RunningOrderApi[]
let merchants: JsonClient[]
beforeAll(async () => {
  fixture = await startFixture()
  replicas = await Promise.all(
    [-30_000, 30_000].map((skewMs) => startOrderApi(fixture.config, silentLog, { now: () => new Date(Date.now() + skewMs) })),
  )
  const authorization = await fixture.authorization('M1')
  merchants = replicas.map(({ port }) => jsonClient(`http://127.0.0.1:${port}`, authorization))
})
afterAll(async () => {
  for (const { parts } of replicas) await stopAll(silentLog, parts, 10_000)
  await fixture.stop()
})

// Proves: faults/clock-skew-loses-nothing
test('the same orders at two replicas with other clocks: one order each, and its one event is published', async () => {
  const orders = Array.from({ length: ORDERS }, () => anOrder())
  const answers = await Promise.all(
    orders.map((order) =>
      Promise.all(merchants.map((merchant) => merchant<CreateOrderResponse>('POST', '/api/v1/orders/create', order))),
    ),
  )
  for (const both of answers) {
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 201])
    expect(both[0]?.body).toEqual(both[1]?.body)
    const { created_at: createdAt, expires_at: expiresAt } = both[0]?.body.data.transaction ?? { created_at: '', expires_at: '' }
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(1_200_000)
  }
  await eventually(async () => {
    const documents = await fixture.documents()
    expect(documents).toHaveLength(ORDERS)
    for (const { outbox } of documents) expect(outbox).toEqual([])
  })
  const events = await fixture.sandbox.takeAll<OrderCreated>(fixture.queue)
  // A replica that is ahead may publish an event again; consumers know it by its id.
  const ids = new Set(events.map(({ id }) => id))
  expect(ids).toEqual(new Set(answers.map(([answer]) => `${answer?.body.data.transaction.id}.0`)))
})
