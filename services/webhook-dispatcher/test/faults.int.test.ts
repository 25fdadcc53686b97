import { eventually, jsonClient, startTcpProxy, type TcpProxy } from '@gateway/testkit'
import type { RunningDispatcher } from '../src/service.ts'
import { anEvent, codesOf, registerEndpoint } from './builders.ts'
import { startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
let dispatcher: RunningDispatcher
let broker: TcpProxy
let database: TcpProxy
beforeAll(async () => {
  fixture = await startFixture()
  const { sandbox } = fixture
  broker = await proxyTo(sandbox.amqpUrl)
  database = await proxyTo(sandbox.mongoUrl)
  dispatcher = await fixture.start(
    {},
    { amqpUrl: through(broker, sandbox.amqpUrl), mongoUrl: through(database, sandbox.mongoUrl) },
  )
})
afterAll(async () => {
  broker.restore()
  database.restore()
  await fixture.remove()
  await Promise.all([broker.stop(), database.stop()])
})
afterEach(() => {
  broker.restore()
  database.restore()
  fixture.receiver.clear()
  fixture.receiver.respondWith(() => ({ status: 200 }))
})

function proxyTo(url: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(url)
  return startTcpProxy({ targetHost: hostname, targetPort: Number(port) })
}

function through(proxy: TcpProxy, url: string): string {
  const changed = new URL(url)
  changed.host = `127.0.0.1:${proxy.port}`
  return changed.href
}

let merchants = 0
async function aMerchant() {
  const merchantId = `mer_faults_${(merchants += 1)}`
  const api = await fixture.as(dispatcher, merchantId)
  await registerEndpoint(api, fixture.receiver.url)
  return { merchantId, api }
}
const readiness = () => jsonClient(`http://127.0.0.1:${dispatcher.port}`)('GET', '/readyz')
const readinessIs = (status: number, body: object) =>
  eventually(async () => expect(await readiness()).toMatchObject({ status, body }), { deadlineMs: 30_000 })

// Proves: broker/readiness-without-the-broker
test('the broker goes away and returns: the service stays ready, and every webhook arrives', async () => {
  const { merchantId, api } = await aMerchant()
  broker.cut()
  await readinessIs(200, { status: 'degraded', checks: { broker: 'down', database: 'up' } })
  expect(await api('GET', '/api/v1/webhooks/endpoint')).toMatchObject({ status: 200 })
  const events = [anEvent(merchantId), anEvent(merchantId)]
  for (const event of events) await fixture.publish(event)

  broker.restore()
  await readinessIs(200, { status: 'ok' })
  for (const { id } of events) expect(codesOf((await fixture.deliveryIs(id, 'delivered')).attempts)).toEqual([200])
  await fixture.queuesAreEmpty()
})

test('the broker goes away while a webhook is in flight: the chain continues and does not fork', async () => {
  const { merchantId } = await aMerchant()
  const gate = Promise.withResolvers<undefined>()
  fixture.receiver.respondWith(async (_request, n) => {
    if (n === 1) await gate.promise
    return { status: n <= 2 ? 500 : 200 }
  })
  const event = anEvent(merchantId)
  await fixture.publish(event)
  await fixture.receiver.waitFor(() => true)
  broker.cut()
  gate.resolve(undefined)
  await readinessIs(200, { status: 'degraded' })
  broker.restore()

  const { attempts } = await fixture.deliveryIs(event.id, 'delivered', 30_000)
  expect(attempts.map(({ number }) => number)).toEqual(attempts.map((_attempt, index) => index + 1))
  expect(codesOf(attempts).at(-1)).toBe(200)
  await fixture.queuesAreEmpty()
})

// Proves: faults/database-away-at-webhook-dispatcher
test('the database goes away before the record: not ready, routes answer 503, and nothing is lost', async () => {
  const { merchantId, api } = await aMerchant()
  const gate = Promise.withResolvers<undefined>()
  fixture.receiver.respondWith(async () => {
    await gate.promise
    return { status: 200 }
  })
  const event = anEvent(merchantId)
  await fixture.publish(event)
  await fixture.receiver.waitFor(({ headers }) => headers['webhook-id'] === event.id)
  database.cut()
  gate.resolve(undefined)
  await readinessIs(503, { status: 'unavailable' })
  const away = await api('GET', '/api/v1/webhooks/deliveries')
  expect(away).toMatchObject({ status: 503, body: { code: 'database_unavailable' } })
  expect(away.headers.get('retry-after')).not.toBeNull()
  const during = anEvent(merchantId)
  await fixture.publish(during)
  expect(await fixture.delivery(event.id)).toBeNull()

  database.restore()
  await readinessIs(200, { status: 'ok' })
  for (const { id } of [event, during]) {
    expect(codesOf((await fixture.deliveryIs(id, 'delivered', 40_000)).attempts)).toEqual([200])
  }
  await fixture.queuesAreEmpty()
})

// Proves: faults/database-away-at-webhook-dispatcher
test('the database goes away while a retry is in flight: the attempt is repeated, and the chain does not fork', async () => {
  const { merchantId } = await aMerchant()
  const gate = Promise.withResolvers<undefined>()
  fixture.receiver.respondWith(async (_request, n) => {
    if (n === 2) await gate.promise
    return { status: n === 1 ? 500 : 200 }
  })
  const event = anEvent(merchantId)
  await fixture.publish(event)
  await fixture.receiver.waitFor(({ headers }) => headers['webhook-attempt'] === '2')
  database.cut()
  gate.resolve(undefined)
  await readinessIs(503, { status: 'unavailable' })
  database.restore()
  expect(codesOf((await fixture.deliveryIs(event.id, 'delivered', 40_000)).attempts)).toEqual([500, 200])
  await fixture.queuesAreEmpty()
})
