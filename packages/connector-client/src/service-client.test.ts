import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { propagation, trace } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { Unavailable } from '@gateway/contracts'
import { withCorrelation } from '@gateway/service-kit'
import { createServiceClient, failureCode, type ServiceClient, type ServiceClientOptions } from '@gateway/service-kit/http-client'
import { readTrace, setTracer } from '@gateway/service-kit/tracing'
import { sendWithAxios } from './axios-send.ts'

const BEARER = 'b'.repeat(32)
const TRACEPARENT = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`

const servers: Server[] = []
const seen: IncomingMessage[] = []
afterEach(async () => {
  seen.length = 0
  propagation.disable()
  setTracer(undefined)
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

async function clientOf(answer: RequestListener, options: Partial<ServiceClientOptions> = {}): Promise<ServiceClient> {
  const server = createServer((request, response) => {
    seen.push(request)
    answer(request, response)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return clientAt((server.address() as AddressInfo).port, options)
}

let usesAxios = false

function clientAt(port: number, changes: Partial<ServiceClientOptions> = {}): ServiceClient {
  const options: ServiceClientOptions = {
    baseUrl: `http://127.0.0.1:${port}/base`,
    bearer: BEARER,
    timeoutMs: 2000,
    maxAnswerBytes: 1000,
    unavailable: { code: 'gateway_unavailable', detail: 'The other service cannot be reached', retryAfterSeconds: 5 },
    ...changes,
  }
  if (!usesAxios) return createServiceClient(options)
  return createServiceClient(options, sendWithAxios({ maxSockets: options.maxSockets ?? 50, usesProxy: false }))
}

/** How the call failed; its error and everything in it must hold neither the bearer token nor the body. */
async function failureOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(Unavailable)
  expect(error).toMatchObject({ code: 'gateway_unavailable', retryAfterSeconds: 5 })
  const { cause } = error as Unavailable
  expect(Object.keys(cause as object)).toEqual(['code'])
  expect(cause).not.toHaveProperty('cause')
  return failureCode(error)
}

describe.each([
  ['undici, between services', false],
  ['axios, to connectors', true],
])('with %s', (_name, isAxios) => {
  beforeAll(() => {
    usesAxios = isAxios
  })

  // Proves: api/one-reader-of-bodies
  test('an answer may begin with a byte order mark; one that is not UTF-8 is none', async () => {
    const answers = [Buffer.from('\ufeff{"name":"José"}'), Buffer.from('{"name":"José"}', 'latin1')]
    const client = await clientOf((_request, response) => response.end(answers.shift()))
    expect(await client.get('/things')).toEqual({ status: 200, data: { name: 'José' } })
    expect(await failureOf(client.get('/things'))).toBe('ERR_BAD_RESPONSE')
  })

  test('a call carries the bearer token, the request id and, while tracing is on, the trace', async () => {
    const client = await clientOf((_request, response) => response.end('{"found":true}'))
    const call = () =>
      withCorrelation({ requestId: 'request-1', trace: readTrace({ traceparent: TRACEPARENT }) }, () =>
        client.get('/things', { params: { id: 7 } }),
      )

    expect(await call()).toEqual({ status: 200, data: { found: true } })
    propagation.setGlobalPropagator(new W3CTraceContextPropagator())
    setTracer(trace.getTracer('test'))
    await call()

    const told = seen.map(({ url, headers }) => [url, headers.authorization, headers['x-request-id'], headers['traceparent']])
    expect(told).toEqual([
      ['/base/things?id=7', `Bearer ${BEARER}`, 'request-1', undefined],
      ['/base/things?id=7', `Bearer ${BEARER}`, 'request-1', TRACEPARENT],
    ])
  })

  test('connections are kept: a second call uses the first one’s', async () => {
    const client = await clientOf((_request, response) => response.end('{}'))
    await client.get('/one')
    // undici frees the connection in a `setImmediate` after the answer; the second wait makes sure that it has run.
    await setImmediate()
    await setImmediate()
    await client.post('/two', { a: 1 })
    expect(new Set(seen.map(({ socket }) => socket)).size).toBe(1)
  })

  test('every status is an answer, and a redirect is not followed', async () => {
    const client = await clientOf(({ url }, response) => {
      if (url === '/base/moved') response.writeHead(302, { location: '/base/elsewhere' }).end()
      else response.writeHead(500).end('{"code":"internal_error"}')
    })
    expect((await client.get('/moved')).status).toBe(302)
    expect(await client.post('/broken')).toEqual({ status: 500, data: { code: 'internal_error' } })
    expect(seen.map(({ url }) => url)).toEqual(['/base/moved', '/base/broken'])
  })

  test.each([
    ['the client’s', { timeoutMs: 300 }, {}],
    ['the call’s own', { timeoutMs: 60_000 }, { timeoutMs: 300 }],
  ])('an answer that drips past the deadline is given up at it: %s', async (_whose, options, callOptions) => {
    const client = await clientOf((_request, response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write(' '), 20)
      response.once('close', () => clearInterval(timer))
    }, options)
    const startedMs = performance.now()
    expect(await failureOf(client.get('/drip', callOptions))).toBe('ETIMEDOUT')
    expect(performance.now() - startedMs).toBeLessThan(2000)
  })

  test('an answer that never begins is given up at the deadline', async () => {
    const client = await clientOf(() => undefined, { timeoutMs: 200 })
    expect(await failureOf(client.post('/silent', { secret: 1 }))).toBe('ETIMEDOUT')
  })

  test('a call that expires while it waits for a connection leaves the connection to others', async () => {
    const slowAnswer = Promise.withResolvers<ServerResponse>()
    const answer: RequestListener = ({ url }, response) =>
      url === '/base/slow' ? slowAnswer.resolve(response) : response.end('{}')
    const client = await clientOf(answer, { maxSockets: 1 })
    const slow = client.get('/slow')
    const slowResponse = await slowAnswer.promise
    expect(await failureOf(client.get('/expired', { timeoutMs: 50 }))).toBe('ETIMEDOUT')
    const next = client.get('/next')
    slowResponse.end('{}')
    expect([(await slow).status, (await next).status]).toEqual([200, 200])
    expect(seen.map(({ url }) => url)).toEqual(['/base/slow', '/base/next'])
    expect(new Set(seen.map(({ socket }) => socket)).size).toBe(1)
  })

  test('an answer of the greatest length is taken, a longer one is an error', async () => {
    const client = await clientOf(({ url }, response) =>
      response.end(JSON.stringify('x'.repeat(url === '/base/large' ? 999 : 998))),
    )
    expect(await client.get('/allowed')).toEqual({ status: 200, data: 'x'.repeat(998) })
    expect(await failureOf(client.get('/large'))).toBe('ERR_ANSWER_TOO_LONG')
  })

  test('an answer that breaks off is no answer', async () => {
    const client = await clientOf(({ url, socket }, response) => {
      if (url === '/base/reset') socket.destroy()
      else response.writeHead(200, { 'content-length': 100 }).write('{', () => socket.destroy())
    })
    expect(await failureOf(client.get('/reset'))).toBe('ECONNRESET')
    expect(await failureOf(client.get('/half'))).toBe('ECONNRESET')
  })

  test('an answer with a byte order mark is read, and compressed ones are not asked for', async () => {
    const client = await clientOf((_request, response) => response.end('\uFEFF{"a":1}'))
    expect(await client.get('/marked')).toEqual({ status: 200, data: { a: 1 } })
    expect(seen[0]?.headers).toMatchObject({ 'accept-encoding': 'identity', 'user-agent': 'payment-gateway/1' })
  })

  test('bodies: an object as JSON, a buffer as it is, none without a type; a parameter that is undefined is left out', async () => {
    const bodies: string[] = []
    const client = await clientOf((request, response) => {
      void request
        .setEncoding('utf8')
        .toArray()
        .then(
          (chunks) => bodies.push(chunks.join('')),
          () => undefined,
        )
      request.once('end', () => response.end('{}'))
    })
    await client.post('/object', { a: 1 }, { params: { one: 'a b', none: undefined } })
    await client.post('/buffer', Buffer.from('{"a" : 1}'), { headers: { 'content-type': 'application/custom' } })
    await client.post('/none')
    expect(bodies).toEqual(['{"a":1}', '{"a" : 1}', ''])
    expect(seen.map(({ url, headers }) => [url, headers['content-type']])).toEqual([
      ['/base/object?one=a+b', 'application/json'],
      ['/base/buffer', 'application/custom'],
      ['/base/none', undefined],
    ])
  })

  test('a refused connection is reported by its code alone', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    expect(await failureOf(clientAt(port).post('/things', { secret: 1 }))).toBe('ECONNREFUSED')
  })

  test('a path that looks like an address stays below the base address', async () => {
    const client = await clientOf((_request, response) => response.end('{}'))
    await client.get('http://elsewhere.invalid/x')
    expect(seen.map(({ url }) => url)).toEqual(['/base/http://elsewhere.invalid/x'])
  })
})

test('an unexpected answer becomes the same error', async () => {
  const error = clientAt(1).unavailable('status 500')
  expect(error).toMatchObject({ code: 'gateway_unavailable', cause: { message: 'status 500' } })
})

test('an error of another kind has no failure code', () => {
  expect(failureCode(new Error('x'))).toBe('unknown')
  expect(failureCode(new Unavailable('not_ready', 'x'))).toBe('unknown')
})
