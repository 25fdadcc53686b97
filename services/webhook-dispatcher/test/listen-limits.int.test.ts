/** What bounds a listen session: how many are open, how long, and how much may be unread. */
import { connect } from 'node:net'
import { eventually } from '@gateway/testkit'
import { STREAM_LIMITS } from '../src/listening/http/listen-route.ts'
import { anEvent } from './builders.ts'
import { startFixture, type Fixture } from './fixture.ts'
import { listen } from './listening.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await startFixture()
})
afterAll(() => fixture.remove())

const problemOf = async (response: Response): Promise<unknown> => ((await response.json()) as { code: unknown }).code

// Proves: listen/sessions-are-limited
test('a credential has two sessions and a merchant five; a closed one makes room', async () => {
  const dispatcher = await fixture.start()
  const session = (credentialId: string) => listen(fixture, dispatcher, { merchantId: 'mer_many', credentialId })
  const open = [
    await session('key_1'),
    await session('key_1'),
    await session('key_2'),
    await session('key_2'),
    await session('key_3'),
  ]
  expect(open.map(({ response }) => response.status)).toEqual([200, 200, 200, 200, 200])
  for (const credential of ['key_1', 'key_4']) {
    const { response } = await session(credential)
    expect([response.status, await problemOf(response)]).toEqual([429, 'too_many_listeners'])
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  const others = await listen(fixture, dispatcher, { merchantId: 'mer_other', credentialId: 'key_9' })
  expect(others.response.status).toBe(200)
  open[0]?.close()
  await eventually(async () => expect((await session('key_4')).response.status).toBe(200))
  await fixture.stop(dispatcher)
})

// Proves: listen/session-ends-and-says-why
test('a silent session has heartbeats, and ends after its time', async () => {
  const dispatcher = await fixture.start({ listenLimits: { ...STREAM_LIMITS, sessionMs: 1500, heartbeatMs: 400, idleMs: 50 } })
  const listener = await listen(fixture, dispatcher, { merchantId: 'mer_silent' })
  await listener.ended
  expect(listener.comments.length).toBeGreaterThanOrEqual(2)
  expect(listener.endReason()).toBe('session_over')
  await fixture.stop(dispatcher)
})

// Proves: listen/session-ends-with-its-credential
test('a session ends when the credential that opened it expires, and says so in advance', async () => {
  const dispatcher = await fixture.start()
  const credentialEndsAt = new Date(Math.ceil(Date.now() / 1000) * 1000 + 2000)
  const listener = await listen(fixture, dispatcher, { merchantId: 'mer_expiring', credentialEndsAt })
  expect(listener.events[0]?.data).toMatchObject({ ends_at: credentialEndsAt.toISOString() })
  await listener.ended
  expect(listener.endReason()).toBe('session_over')
  await fixture.stop(dispatcher)
})

test('a dispatcher that stops ends its sessions at once and says so', async () => {
  const dispatcher = await fixture.start()
  const listener = await listen(fixture, dispatcher, { merchantId: 'mer_stopping' })
  const stoppedAt = Date.now()
  await fixture.stop(dispatcher)
  await listener.ended
  expect(listener.endReason()).toBe('stopping')
  expect(Date.now() - stoppedAt).toBeLessThan(3000)
})

// Proves: listen/unread-is-bounded
test('a client that does not read is disconnected, and what it left unread stays bounded', async () => {
  const maxUnreadBytes = 64 * 1024
  const dispatcher = await fixture.start({ listenLimits: { ...STREAM_LIMITS, maxUnreadBytes, maxStalledMs: 500, idleMs: 50 } })
  const merchantId = 'mer_slow'
  const watch = await listen(fixture, dispatcher, { merchantId, credentialId: 'key_watch' })
  const udf = 'x'.repeat(250)
  const copies = 6000
  const { authorization } = await fixture.authorizationFor({ merchantId, credentialId: 'key_slow' })
  const socket = connect({ port: dispatcher.port, host: '127.0.0.1' })
  socket.write(`GET /api/v1/webhooks/listen HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n\r\n`)
  socket.pause()
  const oneMore = () => listen(fixture, dispatcher, { merchantId, credentialId: 'key_slow' })
  await eventually(async () => {
    const next = [await oneMore(), await oneMore()]
    for (const session of next) session.close()
    expect(next.map(({ response }) => response.status)).toEqual([200, 429])
  })
  for (let sent = 0; sent < copies; sent += 500)
    await Promise.all(
      Array.from({ length: 500 }, () => fixture.publish(anEvent(merchantId, { udf1: udf, udf2: udf, udf3: udf }))),
    )
  await eventually(() => expect(watch.ids()).toHaveLength(copies), { deadlineMs: 60_000 })
  // The session of the socket is closed: two more of its credential may be opened, not one.
  await eventually(
    async () => {
      const next = [await oneMore(), await oneMore()]
      for (const session of next) session.close()
      expect(next.map(({ response }) => response.status)).toEqual([200, 200])
    },
    { deadlineMs: 20_000, pauseMs: 300 },
  )
  socket.destroy()
  await fixture.stop(dispatcher)
})

// Proves: listen/bad-input-is-refused
test.each([
  ['a time without a zone', { query: '?since=2026-01-01T00:00:00' }],
  ['an unknown parameter', { query: '?until=2026-01-01T00:00:00Z' }],
  ['an id that is no position', { lastEventId: 'evt_1' }],
  ['an id that no number holds', { lastEventId: '9999999999999999' }],
])('%s is refused', async (_name, options) => {
  const dispatcher = await fixture.start()
  const { response } = await listen(fixture, dispatcher, { merchantId: 'mer_bad', ...options })
  expect([response.status, await problemOf(response)]).toEqual([422, 'validation_failed'])
  await fixture.stop(dispatcher)
})

// Proves: listen/sandbox-only
test('in production there is no such route, and no copy is written', async () => {
  const production = await startFixture()
  const dispatcher = await production.start({}, { environment: 'production' })
  try {
    const answer = await fetch(`http://127.0.0.1:${dispatcher.port}/api/v1/webhooks/listen`)
    expect(answer.status).toBe(404)
    const event = anEvent('mer_production')
    await production.publish(event)
    await production.deliveryIs(event.id, 'dead')
    const { client } = production.sandbox
    expect(await client.db(production.database).collection('copies').countDocuments()).toBe(0)
  } finally {
    await production.remove()
  }
})
