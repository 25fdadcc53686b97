import { createQueueAdmin, type QueueAdmin } from '../src/index.ts'
import { startFixture, until, type Fixture } from './fixture.ts'

let fixture: Fixture
let admin: QueueAdmin
beforeAll(async () => {
  fixture = await startFixture()
  admin = createQueueAdmin(fixture.broker)
})
afterAll(() => fixture.stop())

const messageTo = (route: { exchange: string; routingKey: string }) => ({
  ...route,
  messageId: 'm',
  type: 't',
  correlationId: 'c',
  body: '{}',
  timestampMs: Date.now(),
})

test('an unbound queue gets no messages and keeps those it has; declared again, it works as before', async () => {
  const { declared, publisher } = fixture
  const dead = declared.queues.webhookDispatcherDead
  const [route] = dead.bindings
  if (!route) throw new Error('the dead queue has a binding')
  await publisher.publish(messageTo(route))
  await until('the message is there', async () => (await admin.depth(dead.name)) === 1)
  await admin.unbind(dead)
  await admin.unbind(dead)
  await expect(publisher.publish(messageTo(route))).rejects.toMatchObject({ code: 'publish_returned' })
  expect(await admin.depth(dead.name)).toBe(1)

  await admin.declare(dead)
  await publisher.publish(messageTo(route))
  await until('both are there', async () => (await admin.depth(dead.name)) === 2)
  // What waits in it is not deleted with it.
  expect(await admin.remove(dead.name)).toBe(false)
  await until('both are there again', async () => (await admin.depth(dead.name)) === 2)
  await fixture.take(dead)
  await fixture.take(dead)
  expect(await admin.remove(dead.name)).toBe(true)
  expect(await admin.remove(dead.name)).toBe(true)
  expect(await admin.depth(dead.name)).toBeUndefined()
  // A missing queue closes only the channel of its own call.
  expect(fixture.broker.state).toBe('up')
  await admin.declare(dead)
})

test('while the broker is away every call is rejected at once', async () => {
  fixture.proxy.cut()
  await until('the broker is away', () => fixture.broker.state === 'down')
  await expect(admin.depth(fixture.declared.queues.retries.name)).rejects.toMatchObject({ code: 'broker_unavailable' })
  fixture.proxy.restore()
  await until('the broker is back', () => fixture.broker.state === 'up')
  expect(await admin.depth(fixture.declared.queues.retries.name)).toBe(0)
})
