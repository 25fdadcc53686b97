import { declareAll, everythingOf, type Route } from '../src/index.ts'
import { orderCreated, RETRY_DELAYS_MS, startFixture, until, type Fixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await startFixture()
})
afterAll(() => fixture.stop())

// Proves: broker/declaring-is-idempotent
test('declaring again changes nothing', async () => {
  const channel = await fixture.direct.createChannel()
  await declareAll(channel, everythingOf(fixture.declared))
  await declareAll(channel, everythingOf(fixture.declared))
})

// Proves: webhooks/one-queue-per-delay
test('a retry returns unchanged to the retries queue after its delay', async () => {
  const { declared, publisher } = fixture
  for (const delayMs of RETRY_DELAYS_MS) {
    const message = orderCreated(declared, `retry-${delayMs}`, { ...declared.retryRoute(delayMs), headers: { attempt: 3 } })
    const publishedAt = Date.now()
    await publisher.publish(message)
    const due = await fixture.take(declared.queues.retries)
    expect(Date.now() - publishedAt).toBeGreaterThanOrEqual(delayMs)
    expect(due.properties.messageId).toBe(message.messageId)
    expect(due.properties.headers).toMatchObject({ attempt: 3 })
    expect(due.content.toString()).toBe(message.body)
  }
})

// Proves: webhooks/one-queue-per-delay
test('a short delay is not held up by an earlier, longer one', async () => {
  const { declared, publisher } = fixture
  await publisher.publish(orderCreated(declared, 'long', declared.retryRoute(600)))
  await publisher.publish(orderCreated(declared, 'short', declared.retryRoute(300)))
  const order = [await fixture.take(declared.queues.retries), await fixture.take(declared.queues.retries)]
  expect(order.map(({ properties }) => String(properties.messageId))).toEqual(['short', 'long'])
})

// Proves: webhooks/attempts-over-the-limit-are-delayed
test.each([
  ['firstAttempts', 'statusChanged'],
  ['retries', 'retries'],
] as const)('parked %s come back to %s', async (route, queue) => {
  const { declared, publisher } = fixture
  const parkRoute: Route = declared.parkRoutes[route](200)
  await publisher.publish(orderCreated(declared, `parked-${route}`, parkRoute))
  expect((await fixture.take(declared.queues[queue])).properties.messageId).toBe(`parked-${route}`)
})

// Proves: broker/dead-letters-arrive
test('a rejected delivery goes to the dead queue of its service', async () => {
  const { declared, publisher, direct } = fixture
  await publisher.publish(orderCreated(declared, 'rejected'))
  const channel = await direct.createChannel()
  let delivery = await channel.get(declared.queues.orderCreated.name)
  await until('a delivery', async () => (delivery ||= await channel.get(declared.queues.orderCreated.name)) !== false)
  if (delivery) channel.reject(delivery, false)
  expect((await fixture.take(declared.queues.paymentStatusDead)).properties.messageId).toBe('rejected')
  expect(await fixture.count(declared.queues.orderCreated)).toBe(0)
})
