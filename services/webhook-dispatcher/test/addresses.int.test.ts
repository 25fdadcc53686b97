import type { Resolve } from '../src/sending/guarded-lookup.ts'
import type { RunningDispatcher } from '../src/service.ts'
import { asLookedUp, HOSTILE } from './address-table.ts'
import { anEvent, codesOf, registerEndpoint } from './builders.ts'
import { startFixture, type Fixture } from './fixture.ts'

interface ProblemAnswer {
  readonly code: string
  readonly errors?: readonly { readonly field: string }[]
}

/** The only names that resolve in these tests. */
let names: Record<string, string | readonly string[]> = {}
const resolve: Resolve = async (hostname) => {
  const addresses = names[hostname]
  if (addresses === undefined) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
  return asLookedUp([addresses].flat())
}

let fixture: Fixture
let dispatcher: RunningDispatcher
beforeAll(async () => {
  fixture = await startFixture()
  dispatcher = await fixture.start({ resolve })
})
afterAll(() => fixture.remove())
beforeEach(() => {
  names = { localhost: '127.0.0.1' }
  fixture.receiver.respondWith(() => ({ status: 200 }))
})

/** WEBHOOK_ALLOWED_HOSTS of the fixture. */
const OPEN_HERE = new Set(['localhost', '127.0.0.1'])

const PATH = '/api/v1/webhooks/endpoint'
let merchants = 0
const newMerchant = () => `mer_address_${(merchants += 1)}`

// Proves: spec/4-3-must-public-https-endpoint, webhooks/private-addresses-refused-at-registration
test.each([
  [{ url: 'http://localhost:9000/' }],
  [{ url: 'https://rebind.example/' }],
  [{ url: `https://merchant.example/${'a'.repeat(2048)}` }],
  [{ url: 'https://merchant.example/\u0000' }],
  [{ url: { $gt: '' } }],
  [{ url: 7 }],
  [{}],
])('%j is refused', async (body) => {
  names['rebind.example'] = '10.0.0.7'
  const api = await fixture.as(dispatcher, newMerchant())
  const answer = await api<ProblemAnswer>('PUT', PATH, body)
  expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed' } })
  expect(answer.body.errors?.[0]?.field).toBe('/url')
  expect(await api('GET', PATH)).toMatchObject({ status: 404 })
})

describe(`the address table, through the whole service: ${HOSTILE.length} refused`, () => {
  // Proves: webhooks/private-addresses-refused-at-registration
  test('none of them can be registered', async () => {
    for (const [, url, ...addresses] of HOSTILE) {
      // Each has a merchant of its own: refused URLs are limited.
      const api = await fixture.as(dispatcher, newMerchant())
      // The hosts that this dispatcher has opened for its receiver are none of the table's business.
      const host = URL.canParse(url) ? new URL(url).hostname : ''
      if (OPEN_HERE.has(host) && url.startsWith('https:')) continue
      names = addresses.length > 0 ? { [host]: addresses } : {}
      const { status, body } = await api<ProblemAnswer>('PUT', PATH, { url })
      expect([url, status, body.code, body.errors?.[0]?.field]).toEqual([url, 422, 'validation_failed', '/url'])
      expect(await api('GET', PATH)).toMatchObject({ status: 404 })
    }
  })

  // Proves: webhooks/refused-urls-are-limited
  test('names that lead inside cannot be told from others for long: refused registrations are limited', async () => {
    const api = await fixture.as(dispatcher, newMerchant())
    names = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`inside-${index}.example`, '10.0.0.7']))
    const answers = await Promise.all(
      Object.keys(names).map((name) => api<ProblemAnswer>('PUT', PATH, { url: `https://${name}/` })),
    )
    // Twenty calls of a merchant are under way at once; more are told to come back.
    expect(answers.filter(({ status }) => status === 422).length).toBeLessThanOrEqual(20)
    for (const name of Object.keys(names)) await api('PUT', '/api/v1/webhooks/refund-endpoint', { url: `https://${name}/` })
    const last = await api<ProblemAnswer>('PUT', PATH, { url: 'https://merchant.example/' })
    expect(last).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(Number(last.headers.get('retry-after'))).toBeLessThanOrEqual(60)
  })

  // Proves: webhooks/private-addresses-refused-at-connect
  test('a name that leads to a hostile address after its registration is not connected to, and the answer says why', async () => {
    const api = await fixture.as(dispatcher, newMerchant())
    names = { 'merchant.example': '8.8.8.8' }
    await registerEndpoint(api, `https://merchant.example:${fixture.receiver.port}/`)
    const before = fixture.receiver.connections
    for (const [why, , ...addresses] of HOSTILE.filter((row) => row.length > 2)) {
      names = { 'merchant.example': addresses }
      const answer = await api('POST', '/api/v1/webhooks/test')
      const expected = { data: { status_code: null, error: `address_refused: ${why}` } }
      expect([addresses, answer.body]).toMatchObject([addresses, expected])
    }
    expect(fixture.receiver.connections).toBe(before)
  })
})

// Proves: webhooks/private-addresses-refused-at-connect, webhooks/refused-address-is-logged
test('a name that has become private by the time of the connection is never connected to', async () => {
  const merchantId = newMerchant()
  const api = await fixture.as(dispatcher, merchantId)
  names['turncoat.example'] = '8.8.8.8'
  await registerEndpoint(api, `https://turncoat.example:${fixture.receiver.port}/private`)
  names['turncoat.example'] = '127.0.0.1'
  const before = fixture.receiver.connections

  const event = anEvent(merchantId)
  await fixture.publish(event)
  const { attempts } = await fixture.deliveryIs(event.id, 'dead')
  expect(codesOf(attempts)).toEqual(Array(4).fill('address_refused: loopback'))
  expect(fixture.receiver.connections).toBe(before)
  expect(await api('POST', '/api/v1/webhooks/test')).toMatchObject({
    body: { data: { status_code: null, error: 'address_refused: loopback' } },
  })
})

// Proves: webhooks/certificate-verified
test('an untrusted certificate, and one for another name, are not accepted', async () => {
  const merchantId = newMerchant()
  const api = await fixture.as(dispatcher, merchantId)
  await registerEndpoint(api, fixture.receiver.url)
  const resultFrom = async (other: RunningDispatcher) => {
    const answer = await (await fixture.as(other, merchantId))('POST', '/api/v1/webhooks/test')
    await fixture.stop(other)
    return answer.body
  }
  const refused = (error: string) => ({ data: { status_code: null, error } })
  expect(await resultFrom(await fixture.start({ resolve }, { extraCa: [] }))).toMatchObject(
    refused('certificate_chain_incomplete'),
  )

  const open = await fixture.start({ resolve }, { allowedHosts: new Set(['other.example']) })
  names['other.example'] = '127.0.0.1'
  await (
    await fixture.as(open, merchantId)
  )('PUT', PATH, { url: `https://other.example:${fixture.receiver.port}/` })
  expect(await resultFrom(open)).toMatchObject(refused('certificate_wrong_name'))
})

// Proves: webhooks/slow-names-stall-nobody
test('of a merchant’s slow names twenty are looked up at once; another merchant is not affected', async () => {
  const slow = Promise.withResolvers<string>()
  names['merchant.example'] = '8.8.8.8'
  const waiting = await fixture.start({
    resolve: async (hostname) => (hostname.startsWith('slow-') ? asLookedUp([await slow.promise]) : resolve(hostname)),
  })
  const [one, other] = [await fixture.as(waiting, newMerchant()), await fixture.as(waiting, newMerchant())]
  const asked = Array.from({ length: 21 }, (_, index) =>
    one<ProblemAnswer>('PUT', PATH, { url: `https://slow-${index}.example/` }),
  )
  const first = await Promise.race(asked)
  expect(first).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
  expect(await other('PUT', PATH, { url: 'https://merchant.example/' })).toMatchObject({ status: 200 })
  slow.resolve('10.0.0.1')
  const statuses = (await Promise.all(asked)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 429)).toHaveLength(1)
  await fixture.stop(waiting)
})
