import { newTransactionId } from '@gateway/contracts'
import { eventually } from '@gateway/testkit'
import { API_KEY, startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()), 30_000)
afterAll(() => fixture.stop(), 30_000)

const authorization = { authorization: `Bearer ${API_KEY}` }
let attempts = 0

/** A card whose issuer asks the shopper. */
async function startAtIssuer(description = 'Blue shirt'): Promise<{ tr: string; url: string }> {
  const body = {
    attempt_id: `attempt-${String(++attempts)}`,
    tr: newTransactionId(new Date()),
    method: 'credit_card',
    amount: '499.00',
    currency: 'INR',
    description,
    return_url: RETURN_URL,
    card: { number: '4111111111111111', expiry_month: '12', expiry_year: '2030', cvv: '987', name: 'Asha Rao' },
  }
  const headers = { ...authorization, 'idempotency-key': body.attempt_id }
  const answer = await fixture.call('POST', '/network/v1/payments', body, headers)
  expect(answer.body).toMatchObject({
    status: 'pending',
    redirect_url: expect.stringMatching(/^http:\/\/bank\.test\/bank\/[\w-]{32}$/u),
  })
  const { redirect_url: url } = answer.body as { redirect_url: string }
  return { tr: body.tr, url }
}
const RETURN_URL = 'https://pay.example/checkout/x'

const enquire = async (tr: string) =>
  (await fixture.call<{ payments: object[] }>('GET', `/network/v1/payments?tr=${tr}`, undefined, authorization)).body.payments
const pageOf = (url: string) => fixture.call<string>('GET', new URL(url).pathname)
const press = (url: string, outcome: string) =>
  fixture.call('POST', new URL(url).pathname, `outcome=${outcome}`, { 'content-type': 'application/x-www-form-urlencoded' })

test.each([
  ['success', 'success'],
  ['failure', 'failed'],
  ['cancel', 'failed'],
])('%s leads back, and is reported as %s once', async (button, outcome) => {
  const { tr, url } = await startAtIssuer()
  expect(await enquire(tr)).toMatchObject([{ outcome: 'pending' }])
  const page = await pageOf(url)
  expect(page.body).toContain('₹499.00')
  expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")

  const decided = await press(url, button)
  expect(decided.status).toBe(303)
  expect(decided.headers.get('location')).toBe(RETURN_URL)
  await press(url, button === 'success' ? 'failure' : 'success')
  await eventually(() => expect(fixture.callbacksOf(tr)).toMatchObject([{ signed: true, report: { outcome } }]))
  expect(await enquire(tr)).toMatchObject([{ outcome }])
  expect((await pageOf(url)).body).toContain('Already decided')
})

test('an unknown address is a page that says so', async () => {
  const page = await fixture.call<string>('GET', '/bank/never-given')
  expect(page.status).toBe(404)
  expect(page.headers.get('content-type')).toContain('text/html')
})

test('text of a shop cannot become markup', async () => {
  const { url } = await startAtIssuer(`<script>alert('x')</script>"&`)
  const { body } = await pageOf(url)
  expect(body).not.toContain('<script>')
  expect(body).toContain('&lt;script&gt;')
})
