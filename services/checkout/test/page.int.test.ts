import { createSecretKey } from 'node:crypto'
import { checkoutToken, newTransactionId } from '@gateway/contracts'
import { eventually } from '@gateway/testkit'
import { LINK_KEY, startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
const lines: string[] = []
const keep = (...parts: unknown[]) => void lines.push(JSON.stringify(parts))
beforeAll(async () => (fixture = await startFixture({ log: { info: keep, warn: keep, error: keep, debug: keep } })))
afterAll(() => fixture.stop())

const get = (path: string, headers: Record<string, string> = {}) => fetch(fixture.url + path, { headers, redirect: 'manual' })
const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  fetch(fixture.url + path, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    redirect: 'manual',
  })

/** Opens the page as a browser does: with its cookie and the token of its form. */
async function open(path: string): Promise<{ page: string; cookie: string; csrf: string }> {
  const response = await get(path)
  const page = await response.text()
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? ''
  return { page, cookie, csrf: /name="csrf" value="([^"]+)"/u.exec(page)?.[1] ?? '' }
}
/** The id of a payment that payment-status does not know. */
const UNKNOWN = newTransactionId(new Date(), 0)
const cancels = (id: string) => fixture.paymentStatus.requests.filter(({ path }) => path.endsWith(`${id}/cancel`)).length

test('the payment page has strict security headers', async () => {
  const response = await get(fixture.payment().path)
  expect(response.status).toBe(200)
  expect(await response.text()).toContain('₹1,23,456.00')
  const policy = response.headers.get('content-security-policy')
  expect(policy).toMatch(/^default-src 'none'; script-src 'nonce-[^']+'; style-src 'nonce-[^']+'; /u)
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toContain('unsafe')
  expect(response.headers.get('referrer-policy')).toBe('no-referrer')
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('set-cookie')).toMatch(/^checkout_session=[\w-]{22}; Path=\/checkout; HttpOnly; SameSite=Lax$/u)
})

// Proves: api/checkout-link-is-unguessable
test.each([
  ['garbage', '/checkout/garbage'],
  ['nothing', '/checkout/'],
  ['bytes that are not text', '/checkout/%ff'],
  ['a link made with another key', `/checkout/${checkoutToken(UNKNOWN, createSecretKey(Buffer.alloc(32, 9)))}`],
  ['a valid link of an unknown payment', `/checkout/${checkoutToken(UNKNOWN, LINK_KEY)}`],
  ['a page that does not exist', `/checkout/${checkoutToken(UNKNOWN, LINK_KEY)}/card`],
])('%s is a page that says the link is not valid', async (_name, path) => {
  const response = await get(path)
  expect(response.status).toBe(404)
  expect(response.headers.get('content-type')).toContain('text/html')
  expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(await response.text()).toContain('This link is not valid')
})

test('the page’s form cancels the payment, and then the page says so', async () => {
  const { id, path } = fixture.payment()
  const { cookie, csrf } = await open(path)
  const response = await post(`${path}/cancel`, `csrf=${csrf}`, { cookie, 'sec-fetch-site': 'same-origin' })
  expect(response.status).toBe(303)
  expect(response.headers.get('location')).toBe(path)
  expect(cancels(id)).toBe(1)
  expect(await (await get(path)).text()).toContain('Cancelling')
})

// Proves: api/problem-statuses
test.each([
  ['no token', () => '', {}],
  ['a wrong token', () => 'csrf=nope', {}],
  ['no cookie', (csrf: string) => `csrf=${csrf}`, { cookie: '' }],
  ['the cookie of another browser', (csrf: string) => `csrf=${csrf}`, { cookie: 'checkout_session=AAAAAAAAAAAAAAAAAAAAAA' }],
  ['a form on another site', (csrf: string) => `csrf=${csrf}`, { 'sec-fetch-site': 'cross-site' }],
  ['a token that is a list', (csrf: string) => `csrf=${csrf}&csrf=${csrf}`, {}],
])('cancel with %s changes nothing', async (_name, body, headers) => {
  const { id, path } = fixture.payment()
  const { cookie, csrf } = await open(path)
  const response = await post(`${path}/cancel`, body(csrf), { cookie, ...headers })
  expect(response.status).toBe(403)
  expect(await response.text()).toContain('nothing was changed')
  expect(cancels(id)).toBe(0)
})

test('the form of one payment does not cancel another; two tabs of one browser both work', async () => {
  const [one, other] = [fixture.payment(), fixture.payment()]
  const { cookie, csrf } = await open(one.path)
  expect((await post(`${other.path}/cancel`, `csrf=${csrf}`, { cookie })).status).toBe(403)

  const second = await get(other.path, { cookie })
  expect(second.headers.get('set-cookie')).toBeNull()
  const [, token = ''] = /name="csrf" value="([^"]+)"/u.exec(await second.text()) ?? []
  expect((await post(`${other.path}/cancel`, `csrf=${token}`, { cookie })).status).toBe(303)
  expect((await post(`${one.path}/cancel`, `csrf=${csrf}`, { cookie })).status).toBe(303)
})

test('cancelling a payment that has ended meanwhile is not an error', async () => {
  const { path } = fixture.payment()
  const { cookie, csrf } = await open(path)
  fixture.paymentStatus.answer(({ method }) => ({ status: method === 'POST' ? 409 : 500 }))
  const response = await post(`${path}/cancel`, `csrf=${csrf}`, { cookie })
  fixture.restorePaymentStatus()
  expect(response.status).toBe(303)
})

test.each(['reset', 'hang', 'nonsense'] as const)('payment-status down (%s): a page that tries again', async (how) => {
  const { path } = fixture.payment()
  fixture.paymentStatus.answer(() => (how === 'nonsense' ? { status: 200, body: { status: 'Paid' } } : how))
  const response = await get(path)
  const page = await response.text()
  fixture.restorePaymentStatus()
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe('5')
  expect(page).toMatch(/One moment, please[\s\S]*tries again/u)
  expect(page).toContain('http-equiv="refresh"')
})

test('stays ready without payment-status, and reports it as down', async () => {
  fixture.paymentStatus.answer(() => 'reset')
  const response = await get('/readyz')
  fixture.restorePaymentStatus()
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ status: 'degraded', checks: { 'payment-status': 'down' } })
})

// Proves: faults/logs-hold-no-personal-data
test('no link, merchant or amount is ever logged', async () => {
  const { id, path } = fixture.payment()
  await get(path)
  await get(`${path}/events?x=1`, {}).then((response) => response.body?.cancel())
  await post(`${path}/cancel`, 'csrf=x')
  await eventually(() => expect(lines.join('\n')).toContain('/checkout/:token/events'))
  const logged = lines.join('\n')
  expect(logged).toContain('/checkout/:token/cancel')
  for (const secret of [id, path, 'Asha', '123456']) expect(logged).not.toContain(secret)
})
