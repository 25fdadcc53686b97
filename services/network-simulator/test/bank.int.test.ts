import { newTransactionId } from '@gateway/contracts'
import { eventually } from '@gateway/testkit'
import { API_KEY, startFixture, type Fixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()))
afterAll(() => fixture.stop())

const authorization = { authorization: `Bearer ${API_KEY}` }
const RETURN_URL = 'https://pay.example/checkout/x'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
let attempts = 0

interface AtPage {
  readonly tr: string
  readonly path: string
}

async function startAt(instrument: object, description = 'Blue shirt'): Promise<AtPage> {
  const body = {
    attempt_id: `attempt-${String(++attempts)}`,
    tr: newTransactionId(new Date(), 0),
    amount: '499.00',
    currency: 'INR',
    description,
    return_url: RETURN_URL,
    ...instrument,
  }
  const headers = { ...authorization, 'idempotency-key': body.attempt_id }
  const answer = await fixture.call<{ redirect_url: string }>('POST', '/network/v1/payments', body, headers)
  expect(answer.body).toMatchObject({
    status: 'pending',
    redirect_url: expect.stringMatching(/^http:\/\/bank\.test\/bank\/[\w-]{32}$/u),
  })
  return { tr: body.tr, path: new URL(answer.body.redirect_url).pathname }
}
const atIssuer = (number = '4111111111111111', description?: string) =>
  startAt(
    { method: 'credit_card', card: { number, expiry_month: '12', expiry_year: '2030', cvv: '987', name: 'Asha Rao' } },
    description,
  )
const atBank = (bank = 'HDFC') => startAt({ method: 'netbanking', netbanking: { bank } })

const enquire = async (tr: string) =>
  (await fixture.call<{ payments: object[] }>('GET', `/network/v1/payments?tr=${tr}`, undefined, authorization)).body.payments
const look = ({ path }: AtPage) => fixture.call<string>('GET', path)
const act = ({ path }: AtPage, action: string, otp = '') =>
  fixture.call<string>('POST', path, new URLSearchParams({ action, otp }).toString(), FORM)
const goesTo = async (answer: ReturnType<typeof act>) => {
  const { status, headers } = await answer
  return [status, headers.get('location')]
}
const reported = (tr: string, report: object) =>
  eventually(() => expect(fixture.callbacksOf(tr)).toMatchObject([{ signed: true, report }]))

test.each([
  ['success', { outcome: 'success' }, 'Payment approved'],
  [
    'failure',
    { outcome: 'failed', reason: 'declined by the bank', reason_code: 'unknown', network_code: '05' },
    'Payment not approved',
  ],
  [
    'cancel',
    { outcome: 'failed', reason: 'cancelled', reason_code: 'payer_declined', network_code: 'ZA' },
    'Payment not approved',
  ],
])("%s on the bank's page redirects back, and is reported once", async (action, report, title) => {
  const visit = await atBank()
  expect(await enquire(visit.tr)).toMatchObject([{ outcome: 'pending' }])
  expect((await look(visit)).body).toMatch(/₹499\.00[\s\S]*HDFC/u)

  expect(await goesTo(act(visit, action))).toEqual([303, RETURN_URL])
  expect(await goesTo(act(visit, action === 'success' ? 'failure' : 'success'))).toEqual([303, RETURN_URL])
  await reported(visit.tr, report)
  expect(await enquire(visit.tr)).toMatchObject([report])
  expect((await look(visit)).body).toContain(title)
})

// Proves: page/one-time-password
test('the right one-time password pays; the page shows the last four digits and no more', async () => {
  const visit = await atIssuer()
  const page = await look(visit)
  expect(page.body).toMatch(/Visa ending in 1111/u)
  expect(page.body).not.toContain('4111')
  expect(page.headers.get('cache-control')).toBe('no-store')

  expect(await goesTo(act(visit, 'otp', '123 456'))).toEqual([303, RETURN_URL])
  await reported(visit.tr, { outcome: 'success', method: 'credit_card' })
})

// Proves: page/one-time-password
test('a wrong one-time password may be typed again, the third declines', async () => {
  const visit = await atIssuer()
  expect(await goesTo(act(visit, 'otp', '000000'))).toEqual([303, visit.path])
  expect((await look(visit)).body).toMatch(/2 tries are left[\s\S]*aria-invalid="true"/u)
  // Input that is not six digits does not count as a try.
  const garbled = await act(visit, 'otp', 'abc')
  expect([garbled.status, garbled.body]).toEqual([422, expect.stringContaining('Type the six digits')])
  expect(await goesTo(act(visit, 'otp', '000000'))).toEqual([303, visit.path])
  expect((await look(visit)).body).toContain('One try is left')
  expect(await goesTo(act(visit, 'otp', '000000'))).toEqual([303, RETURN_URL])
  await reported(visit.tr, { outcome: 'failed', reason: 'wrong one-time password, three times', network_code: '75' })
})

test('wrong passwords sent concurrently are each counted', async () => {
  const visit = await atIssuer()
  const locations = await Promise.all([1, 2, 3].map(async () => (await goesTo(act(visit, 'otp', '111111')))[1]))
  expect(locations.sort()).toEqual([visit.path, visit.path, RETURN_URL].sort())
  await reported(visit.tr, { outcome: 'failed' })
})

test('a card that refuses every password declines the right one', async () => {
  const visit = await atIssuer('4000000000004012')
  for (const next of [visit.path, visit.path, RETURN_URL]) expect(await goesTo(act(visit, 'otp', '123456'))).toEqual([303, next])
  await reported(visit.tr, { outcome: 'failed' })
})

// Proves: page/one-time-password
test('a new password can be asked for, three times', async () => {
  const visit = await atIssuer()
  for (let times = 0; times < 3; times++) expect(await goesTo(act(visit, 'resend'))).toEqual([303, visit.path])
  const { body } = await look(visit)
  expect(body).toMatch(/A new one-time password was sent/u)
  expect(body).not.toContain('value="resend"')
  expect(await goesTo(act(visit, 'otp', '123456'))).toEqual([303, RETURN_URL])
})

// Proves: page/one-time-password
test('a shopper who cancels at the issuer', async () => {
  const visit = await atIssuer()
  expect(await goesTo(act(visit, 'cancel'))).toEqual([303, RETURN_URL])
  await reported(visit.tr, { outcome: 'failed', reason: 'cancelled' })
})

test('the bank’s buttons cannot bypass the issuer’s password', async () => {
  const visit = await atIssuer()
  expect(await goesTo(act(visit, 'success'))).toEqual([303, visit.path])
  expect(await enquire(visit.tr)).toMatchObject([{ outcome: 'pending' }])
})

// Proves: page/one-time-password
test.each([
  ['a card', () => atIssuer('4000000000004020')],
  ['a bank', () => atBank('TIME')],
])('%s whose page closes soon: reported as expired, by itself, and the page says so', async (_what, start) => {
  const visit = await start()
  await reported(visit.tr, { outcome: 'failed', reason: 'expired', network_code: 'U69' })
  expect((await look(visit)).body).toMatch(/The time is over[\s\S]*Back to the payment page/u)
  expect(await goesTo(act(visit, 'otp', '123456'))).toEqual([303, RETURN_URL])
  expect(await enquire(visit.tr)).toMatchObject([{ outcome: 'failed' }])
})

test('a sandbox page cannot be framed, loads nothing, and runs only its own script', async () => {
  const { body, headers } = await look(await atIssuer())
  const policy = headers.get('content-security-policy') ?? ''
  const [, nonce = ''] = /script-src 'nonce-([^']+)'/u.exec(policy) ?? []
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).toContain("form-action 'self' https://pay.example;")
  for (const [tag] of body.matchAll(/<(?:script|style)\b[^>]*>/gu)) expect(tag).toContain(`nonce="${nonce}"`)
  expect(headers.get('referrer-policy')).toBe('no-referrer')
})

test('an unknown address gets a page that says so', async () => {
  const page = await fixture.call<string>('GET', '/bank/never-given')
  expect(page.status).toBe(404)
  expect(page.headers.get('content-type')).toContain('text/html')
})

test('a merchant’s text cannot become markup', async () => {
  const { body } = await look(await atIssuer(undefined, `<script>alert('x')</script>"&`))
  expect(body).not.toContain('<script>alert')
  expect(body).toContain('&lt;script&gt;')
})
