/** Callers without valid credentials, beside a merchant with a cached token. */
import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { eventually } from '@gateway/testkit'
import { FRESH_MS } from '../src/use-cases/watch-revocations.ts'
import { FakeService, type Seen } from './fake-service.ts'
import { bearer, post, startTestGateway, type TestGateway } from './running-gateway.ts'

const JUNK = 400
/** Sent at a time. */
const CALLERS = 20
const EXCHANGE_CONNECTIONS = 128
const MERCHANT_KEY = `key_sandbox_${'a1'.repeat(12)}`

let service: FakeService
let auth: FakeService
let gateway: TestGateway
let exchanges = 0
let polls = 0
/** Polls that came while hanging exchanges held every connection of their pool. */
let pollsWhileFull = 0
/** Exchanges without an answer. */
let hangingNow = 0
/** The clock of rate limits and of the revocation list's age; it moves only when a test says so. */
const clock = { ms: 0 }
let junkHangs = false

/** A token of the right form under this credential. */
function tokenOf(keyId: string): string {
  const header = Buffer.from(JSON.stringify({ alg: 'dir', enc: 'A256GCM', kid: keyId })).toString('base64url')
  return `${header}..${'n'.repeat(16)}.${randomBytes(24).toString('base64url')}.${'t'.repeat(22)}`
}
const MERCHANT_TOKEN = tokenOf(MERCHANT_KEY)

const INTERNAL_TOKENS = { 'order-api': 'i', 'payment-status': 'i' }

/** auth-token, which knows one merchant. */
function answerAsAuthToken({ path, body }: Seen, response: ServerResponse): void {
  const answer = (status: number, payload: object, type = 'application/json') =>
    void response.writeHead(status, { 'content-type': type }).end(JSON.stringify(payload))
  if (path.startsWith('/internal/v1/revocations')) {
    polls += 1
    if (hangingNow === EXCHANGE_CONNECTIONS) pollsWhileFull += 1
    answer(200, { as_of: new Date().toISOString(), credential_ids: [] })
    return
  }
  exchanges += 1
  const expiresAt = new Date(Date.now() + 60_000).toISOString()
  if (body.includes(MERCHANT_TOKEN))
    answer(200, { internal_tokens: INTERNAL_TOKENS, expires_at: expiresAt, merchant_id: 'mer_1', credential_id: MERCHANT_KEY })
  else if (!junkHangs) answer(401, { code: 'token_invalid', detail: 'no' }, 'application/problem+json')
  else {
    hangingNow += 1
    response.once('close', () => (hangingNow -= 1))
  }
}

beforeAll(async () => {
  service = await FakeService.start()
  auth = await FakeService.start()
})
beforeEach(async () => {
  service.reset()
  auth.reset()
  auth.answer = answerAsAuthToken
  exchanges = 0
  pollsWhileFull = 0
  junkHangs = false
  gateway = await startTestGateway(service.url, {
    upstreams: { authToken: auth.url },
    limits: { anonymousPerSecond: 20 },
    config: { trustedProxies: ['loopback'] },
    monotonicMs: () => clock.ms,
  })
})
afterEach(async () => {
  auth.closeConnections()
  await gateway.stop()
})
afterAll(async () => {
  await auth.stop()
  await service.stop()
})

const search = (token: string, address: string) =>
  post(`${gateway.url}/api/v1/order/search`, {}, { ...bearer(token), 'x-forwarded-for': address })

/** Sends `count` requests, `CALLERS` at a time; the number of answers by status. */
async function flood(count: number, send: (index: number) => Promise<Response>): Promise<Map<number, number>> {
  const byStatus = new Map<number, number>()
  let next = 0
  const caller = async () => {
    for (let index = next++; index < count; index = next++) {
      const response = await send(index)
      await response.arrayBuffer()
      byStatus.set(response.status, (byStatus.get(response.status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
  return byStatus
}

/** Searches one after the other until `done`; the statuses. */
async function searchUntil(done: () => boolean, address: string): Promise<Set<number>> {
  const statuses = new Set<number>()
  while (!done()) {
    const response = await search(MERCHANT_TOKEN, address)
    await response.arrayBuffer()
    statuses.add(response.status)
  }
  return statuses
}

// Proves: api/unknown-tokens-are-limited, api/flood-spares-known-merchants
test('junk tokens from one address are hardly exchanged, and a merchant at the same address gets every answer', async () => {
  const address = '203.0.113.7'
  expect((await search(MERCHANT_TOKEN, address)).status).toBe(200)
  exchanges = 0
  let flooding = true
  const statuses = searchUntil(() => !flooding, address)
  const junk = await flood(JUNK, () => search(tokenOf(`key_sandbox_${randomBytes(12).toString('hex')}`), address))
  flooding = false
  expect([...junk.keys()].toSorted()).toEqual([401, 429])
  expect(exchanges).toBe(20)
  expect(await statuses).toEqual(new Set([200]))
})

// Proves: api/flood-spares-known-merchants
test('while exchanges from many addresses hang, polls go on and a merchant with a cached token gets every answer', async () => {
  expect((await search(MERCHANT_TOKEN, '203.0.113.1')).status).toBe(200)
  junkHangs = true
  const hanging = Array.from({ length: 300 }, (_, index) =>
    search(tokenOf(`key_sandbox_${randomBytes(12).toString('hex')}`), `198.51.100.${index % 250}`).then(
      (response) => response.status,
      () => 0,
    ),
  )
  await eventually(() => expect(pollsWhileFull).toBeGreaterThan(1))
  for (const endsMs = clock.ms + 2 * FRESH_MS; clock.ms < endsMs; clock.ms += FRESH_MS / 10) {
    const seen = polls
    await eventually(() => expect(polls).toBeGreaterThan(seen))
    expect((await search(MERCHANT_TOKEN, '203.0.113.1')).status).toBe(200)
  }
  auth.closeConnections()
  expect(new Set(await Promise.all(hanging))).not.toContain(200)
})
