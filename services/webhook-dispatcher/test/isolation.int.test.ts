import { anEvent, codesOf, registerEndpoint } from './builders.ts'
import { startFixture, type Fixture } from './fixture.ts'

/** One endpoint hangs with more messages than the prefetch; other endpoints must not be affected. */
const AT_ONCE = 2
const PREFETCH = 8

let fixture: Fixture
beforeAll(async () => {
  fixture = await startFixture()
})
afterAll(() => fixture.remove())

// Proves: webhooks/hanging-endpoint-slows-no-others
test('a hanging endpoint uses only its own slots: first attempts and retries of others go through', async () => {
  const dispatcher = await fixture.start({}, { endpointConcurrency: AT_ONCE, prefetch: PREFETCH, timeoutMs: 30_000 })
  const gate = Promise.withResolvers<undefined>()
  let failOnce = true
  fixture.receiver.respondWith(async ({ path }) => {
    if (path === '/hangs') await gate.promise
    if (path !== '/retried' || !failOnce) return { status: 200 }
    failOnce = false
    return { status: 500 }
  })
  for (const name of ['hangs', 'answers', 'retried'])
    await registerEndpoint(await fixture.as(dispatcher, `mer_${name}`), `${fixture.receiver.url}/${name}`)

  const hanging = Array.from({ length: 3 * PREFETCH }, () => anEvent('mer_hangs'))
  for (const event of hanging) await fixture.publish(event)
  await fixture.receiver.waitFor(({ path }) => path === '/hangs')
  const [answered, retried] = [anEvent('mer_answers'), anEvent('mer_retried')]
  for (const event of [answered, retried]) await fixture.publish(event)
  expect(codesOf((await fixture.deliveryIs(answered.id, 'delivered')).attempts)).toEqual([200])
  expect(codesOf((await fixture.deliveryIs(retried.id, 'delivered')).attempts)).toEqual([500, 200])
  expect(fixture.receiver.requests().filter(({ path }) => path === '/hangs').length).toBe(AT_ONCE)

  gate.resolve(undefined)
  for (const { id } of hanging) expect(codesOf((await fixture.deliveryIs(id, 'delivered')).attempts)).toEqual([200])
  expect(new Set(fixture.receiver.requests().filter(({ path }) => path === '/hangs').map(({ headers }) => headers['webhook-attempt']))).toEqual(new Set(['1'])) // prettier-ignore
  await fixture.queuesAreEmpty()
  await fixture.stop(dispatcher)
})
