import fc from 'fast-check'
import { startJsonServer } from '@gateway/testkit'
import { ApiError, ConnectionError, Gateway, TimeoutError } from '@gateway/sdk'
import { readRetryAfter } from '../src/http/exchange.ts'
import { credentials, fakeGateway, json, networkError, problem, type Reply } from './fake.ts'

const order = {
  order_id: 'ORD-1',
  amount: '499.00',
  customer: { name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' },
}
const created = json(201, {
  data: { order: { order_id: 'ORD-1' }, transaction: { id: 'T1' } },
  checkout: { url: 'https://g.example/c', intent: '' },
})
const resent = json(202, { data: { id: 'D1' } })
const broken = networkError('ECONNRESET')

// Proves: sdk/retries-send-the-same-bytes
test.each<[string, Reply]>([
  ['a broken connection', broken],
  ['429', problem(429, 'rate_limited')],
  ['500', problem(500, 'internal_error')],
  ['503', problem(503, 'database_unavailable')],
  ['a 502 that is not of the gateway', new Response('<html>', { status: 502 })],
])('a repeatable operation is retried after %s, with the same bytes', async (_name, reply) => {
  const { gateway, sent, clock } = fakeGateway([reply, reply, created])
  expect(await gateway.orders.create(order)).toMatchObject({ created: true, order: { order_id: 'ORD-1' } })
  expect(sent.map(({ body }) => body)).toEqual(Array<string>(3).fill(JSON.stringify(order)))
  expect(clock.slept).toEqual([187.5, 375])
})

test.each<[string, Reply, number]>([
  ['a broken connection', broken, 1],
  ['503', problem(503, 'broker_unavailable'), 1],
  ['429', problem(429, 'rate_limited'), 2],
])('another operation after %s: %# of it is sent', async (_name, reply, times) => {
  const { gateway, sent } = fakeGateway([reply, resent])
  await gateway.deliveries.resend('D1').catch(() => undefined)
  expect(sent).toHaveLength(times)
})

test.each([400, 403, 404, 409, 413, 422])('%i is never retried', async (status) => {
  const { gateway, sent } = fakeGateway([problem(status, 'some_code')])
  await expect(gateway.orders.create(order)).rejects.toMatchObject({ status, code: 'some_code', requestId: 'req-1' })
  expect(sent).toHaveLength(1)
})

test('maxRetries is the number of retries, and 0 means none', async () => {
  for (const [maxRetries, times] of [
    [0, 1],
    [1, 2],
    [3, 4],
  ] as const) {
    const { gateway, sent } = fakeGateway([broken], { maxRetries })
    await expect(gateway.orders.create(order)).rejects.toBeInstanceOf(ConnectionError)
    expect(sent).toHaveLength(times)
  }
})

// Proves: sdk/retry-after-and-deadline-are-kept
test('Retry-After is honoured; one beyond the deadline ends the call at once', async () => {
  const waiting = fakeGateway([problem(429, 'rate_limited', { 'retry-after': '7' }), created])
  await waiting.gateway.orders.create(order)
  expect(waiting.clock.slept).toEqual([7000])

  const tooLong = fakeGateway([problem(503, 'backlog', { 'retry-after': '60' }), created])
  const failed = tooLong.gateway.orders.create(order)
  await expect(failed).rejects.toMatchObject({ code: 'backlog', retryAfterMs: 60_000 })
  expect(tooLong.clock.slept).toEqual([])
})

test('the deadline covers every try', async () => {
  const { gateway, sent, clock } = fakeGateway([broken], { maxRetries: 1000, deadlineMs: 10_000 })
  const startedMs = clock.now()
  await expect(gateway.orders.create(order)).rejects.toBeInstanceOf(ConnectionError)
  expect(clock.now() - startedMs).toBeLessThan(10_000)
  expect(sent.length).toBeGreaterThan(4)
})

test('Retry-After is a number of seconds or a date', () => {
  const nowMs = Date.parse('2026-01-31T00:00:00Z')
  expect(readRetryAfter('3', nowMs)).toBe(3000)
  expect(readRetryAfter('Sat, 31 Jan 2026 00:00:09 GMT', nowMs)).toBe(9000)
  expect(readRetryAfter('Fri, 30 Jan 2026 00:00:00 GMT', nowMs)).toBe(0)
  for (const value of ['', '-1', 'soon', '1.5e']) expect(readRetryAfter(value, nowMs)).toBeUndefined()
  expect(readRetryAfter(null, nowMs)).toBeUndefined()
})

// Proves: sdk/errors-say-whether-the-outcome-is-unknown
test.each([
  ['ECONNREFUSED', false],
  ['ENOTFOUND', false],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', false],
  ['UND_ERR_CONNECT_TIMEOUT', false],
  ['ECONNRESET', true],
  ['UND_ERR_SOCKET', true],
])('%s: outcomeUnknown is %s', async (code, outcomeUnknown) => {
  const { gateway } = fakeGateway([networkError(code)], { maxRetries: 0 })
  await expect(gateway.orders.create(order)).rejects.toMatchObject({ name: 'ConnectionError', outcomeUnknown })
})

test('a request that an earlier try may have delivered stays unknown, however the last try failed', async () => {
  const { gateway } = fakeGateway([broken, networkError('ECONNREFUSED')])
  await expect(gateway.orders.create(order)).rejects.toMatchObject({ message: /ECONNREFUSED/u, outcomeUnknown: true })
})

test('an answer that is not of the gateway says so, and a redirect is not followed', async () => {
  for (const reply of [
    new Response('<html>', { status: 200 }),
    new Response(null, { status: 302, headers: { location: 'https://elsewhere.example' } }),
  ]) {
    const { gateway, sent } = fakeGateway([reply])
    const failed = await gateway.endpoint.get().catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(ApiError)
    expect(failed).toMatchObject({ code: 'unexpected_answer', message: /check baseUrl/u })
    expect(sent).toHaveLength(1)
  }
})

test('invalid fields are all in the error and in its message', async () => {
  const errors = [
    { field: '/amount', message: 'must be rupees' },
    { field: '/customer/phone', message: 'must be a mobile number' },
  ]
  const { gateway } = fakeGateway([json(422, { code: 'validation_failed', detail: 'Some fields are not valid', errors })])
  await expect(gateway.orders.create(order)).rejects.toMatchObject({
    errors,
    message: 'Some fields are not valid: /amount must be rupees; /customer/phone must be a mobile number',
  })
})

test('whatever fails, a call ends within its deadline and never sends more than maxRetries + 1 times', async () => {
  const reply = fc.oneof(
    fc.constantFrom('ECONNRESET', 'ECONNREFUSED').map(networkError),
    fc
      .tuple(fc.constantFrom(400, 409, 429, 500, 503), fc.option(fc.integer({ min: 0, max: 90 })))
      .map(([status, seconds]) => problem(status, 'code', seconds === null ? {} : { 'retry-after': String(seconds) })),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(reply, { minLength: 1, maxLength: 8 }), fc.nat(6), async (replies, maxRetries) => {
      const { gateway, sent, clock } = fakeGateway(replies, { maxRetries, deadlineMs: 30_000 })
      const startedMs = clock.now()
      await gateway.orders.create(order).catch(() => undefined)
      expect(sent.length).toBeLessThanOrEqual(maxRetries + 1)
      expect(clock.now() - startedMs).toBeLessThan(30_000)
      expect(new Set(sent.map(({ body }) => body)).size).toBe(1)
    }),
  )
})

// Proves: sdk/timeouts-cover-connect-and-body
test('a server that never answers, and one that never ends its answer, is a TimeoutError', async () => {
  const server = await startJsonServer(() => 'hang')
  const stalled: typeof fetch = (_url, init) =>
    Promise.resolve(
      new Response(new ReadableStream({ start: (body) => init?.signal?.addEventListener('abort', () => body.error()) })),
    )
  try {
    for (const options of [{ baseUrl: server.url }, { baseUrl: server.url, fetch: stalled }]) {
      const gateway = new Gateway({ ...options, credentials, timeoutMs: 200, maxRetries: 0 })
      const failed = await gateway.orders.find('ORD-1').catch((error: unknown) => error)
      expect(failed).toBeInstanceOf(TimeoutError)
      expect(failed).toMatchObject({ outcomeUnknown: true })
    }
  } finally {
    await server.stop()
  }
})

test('over real HTTP: the token, the user agent and the JSON arrive', async () => {
  const server = await startJsonServer(() => ({ status: 200, body: { data: {}, checkout: null } }))
  try {
    const gateway = new Gateway({ baseUrl: `${server.url}/`, credentials, appInfo: { name: 'my-store', version: '2.1' } })
    await gateway.orders.find('ORD-1')
    expect(server.requests).toMatchObject([
      {
        method: 'POST',
        path: '/api/v1/order/search',
        body: { order_id: 'ORD-1' },
        headers: {
          authorization: `Bearer ${await gateway.token()}`,
          'content-type': 'application/json',
          'user-agent': expect.stringMatching(/^sdk\/\d+\.\d+\.\d+ node\/\d+\.\d+\.\d+ my-store\/2\.1$/u),
        },
      },
    ])
  } finally {
    await server.stop()
  }
})
