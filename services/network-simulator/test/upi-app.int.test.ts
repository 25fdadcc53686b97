import { eventually } from '@gateway/testkit'
import { API_KEY, startFixture, type Fixture } from './fixture.ts'

/** The sandbox's UPI app, used as a browser does. */
let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()))
afterAll(() => fixture.stop())

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const post = (path: string, fields: Record<string, string>) =>
  fixture.call<string>('POST', path, new URLSearchParams(fields).toString(), FORM)
const pay = async (intent: string, vpa: string) => {
  const { status, headers, body } = await post('/sandbox/upi', { intent, vpa })
  return { status, body, path: headers.get('location') ?? '' }
}
const look = async (path: string) => (await fixture.call<string>('GET', path)).body
const outcomesOf = (tr: string) => fixture.callbacksOf(tr).map(({ report }) => report['outcome'])

test('a link is paid with the chosen VPA, and the app shows the result', async () => {
  expect(await look('/sandbox/upi')).toMatch(/value="success@sandbox"\s+checked/u)
  expect(await look('/sandbox/upi')).toContain('value="success.refused-refund@sandbox"')
  const { tr, intent } = fixture.order()
  const { status, path } = await pay(` ${intent}\n`, 'success@sandbox')
  expect(status).toBe(303)
  await eventually(() => expect(outcomesOf(tr)).toEqual(['success']))
  expect(await look(path)).toMatch(/₹499\.00[\s\S]*success@sandbox[\s\S]*Paid/u)
})

test('a pending payment can be approved in the app', async () => {
  const { tr, intent } = fixture.order()
  const { path } = await pay(intent, 'pending@sandbox')
  expect(await look(path)).toContain('Approve')
  expect((await post(path, { outcome: 'success' })).headers.get('location')).toBe(path)
  await eventually(() => expect(outcomesOf(tr)).toEqual(['pending', 'success']))
  expect(await look(path)).not.toContain('Approve')
})

test.each([
  ['a link from elsewhere', 'https://shop.example', 'not a UPI link of this gateway'],
  ['an order that has ended', undefined, 'finished, expired or cancelled'],
])('%s is not paid, and the page says why', async (_what, link, words) => {
  const { tr, intent } = fixture.order({ status: 'Failed' })
  const { status, body } = await pay(link ?? intent, 'success@sandbox')
  expect([status, body]).toEqual([422, expect.stringContaining(words)])
  expect(outcomesOf(tr)).toEqual([])
})

test('typed text cannot become markup', async () => {
  const { body } = await pay('"></textarea><script>alert(1)</script>', 'success@sandbox')
  expect(body).not.toContain('<script>alert')
})

test('the app does not show card or bank payments', async () => {
  const start = {
    attempt_id: 'attempt-1',
    tr: fixture.order().tr,
    method: 'netbanking',
    amount: '499.00',
    currency: 'INR',
    description: '',
    return_url: 'https://pay.example/x',
    netbanking: { bank: 'HDFC' },
  }
  const headers = { authorization: `Bearer ${API_KEY}`, 'idempotency-key': 'attempt-1' }
  const { body } = await fixture.call<{ reference: string }>('POST', '/network/v1/payments', start, headers)
  expect((await fixture.call('GET', `/sandbox/upi/payments/${body.reference}`)).status).toBe(404)
})
