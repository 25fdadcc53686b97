/** Event streams of merchants through the gateway. */
import type { ServerResponse } from 'node:http'
import { eventually, openEventStream } from '@gateway/testkit'
import { merchantToken } from '@gateway-services/auth-token/testing'
import { bearer, moreGateways, refusalOf, startGatewayWithToken, type GatewayWithToken } from './running-gateway.ts'

const PATH = '/api/v1/webhooks/listen'
let running: GatewayWithToken
const streams: ServerResponse[] = []
let closed = 0

beforeAll(async () => {
  running = await startGatewayWithToken()
})
beforeEach(() => {
  running.service.reset()
  streams.length = closed = 0
})
afterAll(() => running.stop())
const startGateway = moreGateways(() => running.service.url)

function streamFromService(): void {
  running.service.intercept = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    response.on('close', () => (closed += 1))
    streams.push(response)
  }
}

// Proves: listen/streams-outlive-timeouts
test('a stream arrives piece by piece, outlives the timeouts, and ends when its client disconnects', async () => {
  streamFromService()
  const quick = await startGateway({ upstreams: { authToken: running.auth.url }, config: { upstreamTimeoutMs: 1000 } })
  const stream = await openEventStream(quick.url + PATH, running.authorized)
  expect(stream.response.status).toBe(200)
  expect(stream.response.headers.get('cache-control')).toBe('no-store')
  // The timers of the client library tick once a second, so this is well beyond a timeout of one second.
  await new Promise((resolve) => setTimeout(resolve, 3500))
  for (const [index, piece] of ['event: a\nid: 1\ndata: {}\n\n', 'event: b\nid: 2\ndata: {}\n\n'].entries()) {
    streams[0]?.write(piece)
    await eventually(() => expect(stream.events).toHaveLength(index + 1))
  }
  stream.close()
  await eventually(() => expect(closed).toBe(1))
})

// Proves: listen/passes-position-on
test('the service gets the query and Last-Event-ID', async () => {
  await fetch(`${running.gateway.url}${PATH}?since=2026-01-01T00:00:00Z`, {
    headers: { ...running.authorized, 'last-event-id': '17' },
  })
  expect(running.service.last.path).toBe(`${PATH}?since=2026-01-01T00:00:00Z`)
  expect(running.service.last.headers['last-event-id']).toBe('17')
})

// Proves: listen/ended-on-revocation
test('a stream ends within a second of the revocation of its credential; streams of other credentials go on', async () => {
  streamFromService()
  const [revoked, kept] = [await running.auth.newMerchant('Revoked'), await running.auth.newMerchant('Kept')]
  const open = async (credential: typeof revoked) =>
    openEventStream(running.gateway.url + PATH, bearer(await merchantToken(credential)))
  const [ending, staying] = [await open(revoked), await open(kept)]
  await eventually(() => expect(streams).toHaveLength(2))
  expect((await running.auth.revoke(revoked)).status).toBe(204)
  const revokedAt = Date.now()
  await ending.ended
  expect(Date.now() - revokedAt).toBeLessThan(1000)
  await eventually(() => expect(closed).toBe(1))
  streams[1]?.write('event: a\nid: 1\ndata: {}\n\n')
  await eventually(() => expect(staying.events).toHaveLength(1))
  staying.close()
})

// Proves: listen/sandbox-only
test('in production there is nothing at this address', async () => {
  const production = await startGateway({ upstreams: { authToken: running.auth.url }, config: { environment: 'production' } })
  const answer = await fetch(production.url + PATH, { headers: running.authorized })
  expect(await refusalOf(answer)).toEqual({ status: 404, code: 'not_found' })
})

// Proves: listen/streams-have-their-own-connections
test('more open streams than ordinary connections delay no other call to the same service', async () => {
  streamFromService()
  const open = await Promise.all(
    Array.from({ length: 140 }, () => openEventStream(running.gateway.url + PATH, running.authorized)),
  )
  expect(open.every(({ response }) => response.status === 200)).toBe(true)
  running.service.intercept = undefined
  const answer = await fetch(`${running.gateway.url}/api/v1/webhooks/endpoint`, { headers: running.authorized })
  expect(answer.status).toBe(200)
  for (const stream of open) stream.close()
  await eventually(() => expect(closed).toBe(140))
})
