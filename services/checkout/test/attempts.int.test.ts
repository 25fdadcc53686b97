import { anAttempt, withAttempts } from './fake-payment-status.ts'
import { startFixture, type Fixture } from './fixture.ts'
import { BANK, CARD, newShopper, OTHER_CARD, payFields, type Shopper } from './shopper.ts'

/** Forms sent twice, late, or from another browser: one attempt at a time, and one payment per attempt. */
let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()))
afterAll(() => fixture.stop())

const startsOf = (id: string) => fixture.network.starts.filter(({ tr }) => tr === id)
const chargesOf = (id: string) => [...fixture.network.charges.values()].filter(({ tr }) => tr === id)
const notice = (shopper: Shopper) => shopper.cookies.get('checkout_notice')?.value

test('double click, two tabs, reload and back: one attempt, one payment', async () => {
  const { id, path } = fixture.payment({ attempts_left: 3 })
  const shopper = newShopper(fixture)
  const page = await shopper.open(path)
  const secondTab = await shopper.open(path)
  expect(secondTab.attemptId).toBe(page.attemptId)

  const answers = await Promise.all([page, page, secondTab, page].map((form) => shopper.post(`${path}/pay`, payFields(form))))
  expect(answers.map((response) => response.headers.get('location'))).toEqual(Array(4).fill(`${path}/bank`))
  // After the back button or a reload, the page still has the same form.
  const again = await shopper.post(`${path}/pay`, payFields(page))
  expect(again.headers.get('location')).toBe(`${path}/bank`)

  expect(fixture.view(id).attempts).toHaveLength(1)
  expect(chargesOf(id)).toHaveLength(1)
  expect(new Set(startsOf(id).map(({ attempt_id: attemptId }) => attemptId))).toEqual(new Set([page.attemptId]))
})

test.each([
  ['another card', OTHER_CARD],
  ['a bank', BANK],
  ['a form with mistakes', { ...CARD, card_number: '1' }],
])('%s in the second tab: no new attempt starts, and the page says so once', async (_name, details) => {
  const { id, path } = fixture.payment({ attempts_left: 3 })
  const shopper = newShopper(fixture)
  const [page, secondTab] = [await shopper.open(path), await shopper.open(path)]
  await shopper.post(`${path}/pay`, payFields(page))
  const response = await shopper.post(`${path}/pay`, payFields(secondTab, details))
  expect([response.status, response.headers.get('location')]).toEqual([303, path])
  expect(chargesOf(id)).toMatchObject([{ card: { number: '4111111111111111' } }])
  expect(fixture.view(id).attempts).toHaveLength(1)

  expect(shopper.cookies.get('checkout_notice')?.header).toMatch(
    /^checkout_notice=already_started; Max-Age=60; .*HttpOnly; SameSite=Lax$/u,
  )
  expect((await shopper.open(path)).html).toContain('was started already')
  expect((await shopper.open(path)).html).not.toContain('was started already')
})

test('after the network reported a debit card, the same form sent again still continues at the bank', async () => {
  const { id, path } = fixture.payment()
  const shopper = newShopper(fixture)
  const page = await shopper.open(path)
  await shopper.post(`${path}/pay`, payFields(page))
  fixture.change(id, withAttempts(fixture.view(id), [anAttempt(page.attemptId, 'debit_card', { reference: 'R-1' })]))
  const again = await shopper.post(`${path}/pay`, payFields(page))
  expect(again.headers.get('location')).toBe(`${path}/bank`)
  expect(chargesOf(id)).toHaveLength(1)
})

test('while another browser has an open attempt, no attempt starts', async () => {
  const { id, path } = fixture.payment({ attempts_left: 3 })
  const shopper = newShopper(fixture)
  const page = await shopper.open(path)
  fixture.change(id, withAttempts(fixture.view(id), [anAttempt('R-UPI-1', 'upi')]))
  const response = await shopper.post(`${path}/pay`, payFields(page))
  expect([response.headers.get('location'), notice(shopper), startsOf(id).length]).toEqual([path, 'already_started', 0])
})

test('another request commits first, after the view was read: payment-status decides, and no attempt starts', async () => {
  const { id, path } = fixture.payment({ attempts_left: 3 })
  const shopper = newShopper(fixture)
  const page = await shopper.open(path)
  const view = fixture.view(id)
  fixture.paymentStatus.answer(({ method }) =>
    method === 'GET' ? { status: 200, body: view } : { status: 409, body: { code: 'attempt_not_allowed' } },
  )
  const response = await shopper.post(`${path}/pay`, payFields(page))
  fixture.restorePaymentStatus()
  expect([response.headers.get('location'), notice(shopper), startsOf(id).length]).toEqual([path, 'already_started', 0])
})

test('after a decline the page has a form for the next attempt, and the old form starts nothing', async () => {
  const { id, path } = fixture.payment({ attempts_left: 3 })
  const shopper = newShopper(fixture)
  const page = await shopper.open(path)
  await shopper.post(`${path}/pay`, payFields(page))
  const declined = anAttempt(page.attemptId, 'credit_card', { status: 'failed', failure_reason: 'declined' })
  fixture.change(id, withAttempts(fixture.view(id), [declined]))

  const next = await shopper.open(path)
  expect(next.html).toContain('Payment declined')
  expect(next.attemptId).not.toBe(page.attemptId)
  const old = await shopper.post(`${path}/pay`, payFields(page, OTHER_CARD))
  expect([old.headers.get('location'), startsOf(id).length]).toEqual([path, 1])

  expect((await shopper.post(`${path}/pay`, payFields(next, BANK))).headers.get('location')).toBe(`${path}/bank`)
  expect(startsOf(id).map(({ attempt_id: attemptId }) => attemptId)).toEqual([page.attemptId, next.attemptId])
})

test.each<[string, Record<string, string>]>([
  ['an invented attempt id', { attempt_id: 'att_AAAAAAAAAAAAAAAAAAAAAA' }],
  ['no attempt id', { attempt_id: '' }],
  ['a method that the order does not offer', { method: 'netbanking', bank: 'SBIN' }],
  ['a method without a form', { method: 'upi' }],
  ['an unknown method', { method: 'cash' }],
])('%s: the page says it is out of date, and no attempt is committed or started', async (_name, fields) => {
  const { id, path } = fixture.payment({ methods: ['card'] })
  const shopper = newShopper(fixture)
  const response = await shopper.post(`${path}/pay`, { ...payFields(await shopper.open(path)), ...fields })
  expect([response.status, response.headers.get('location'), notice(shopper)]).toEqual([303, path, 'out_of_date'])
  expect([startsOf(id).length, fixture.view(id).attempts.length]).toEqual([0, 0])
  expect((await shopper.open(path)).html).toContain('nothing was charged')
})

test.each([
  ['cancelled', { closing: 'cancelled' as const, payable: false }],
  ['expired', { expires_at: new Date(0).toISOString() }],
  ['paid', { status: 'Success' as const, payable: false }],
  ['failed', { status: 'Failed' as const, payable: false }],
])('no attempt starts for a payment that is %s meanwhile', async (_name, fields) => {
  const { id, path } = fixture.payment()
  const shopper = newShopper(fixture)
  const page = await shopper.open(path)
  fixture.change(id, fields)
  const response = await shopper.post(`${path}/pay`, payFields(page))
  expect([response.status, response.headers.get('location'), startsOf(id).length]).toEqual([303, path, 0])
})

test('"try another way" abandons the attempt, and only with the form of that attempt', async () => {
  const { id, path } = fixture.payment({ attempts_left: 2 })
  const shopper = newShopper(fixture)
  const first = await shopper.open(path)
  await shopper.post(`${path}/pay`, payFields(first))
  const waiting = await shopper.open(path)
  expect([waiting.attemptId, waiting.html.includes('Try another way')]).toEqual([first.attemptId, true])

  await shopper.post(`${path}/another-way`, { csrf: waiting.csrf, attempt_id: 'att_another' })
  expect(fixture.view(id).attempts).toMatchObject([{ status: 'open' }])
  const response = await shopper.post(`${path}/another-way`, { csrf: waiting.csrf, attempt_id: waiting.attemptId })
  expect([response.status, response.headers.get('location')]).toEqual([303, path])
  expect(fixture.view(id).attempts).toMatchObject([{ status: 'abandoned' }])

  const second = await shopper.open(path)
  await shopper.post(`${path}/pay`, payFields(second, BANK))
  // No attempt is left after the last one, and the form of the first attempt does not affect it.
  const last = await shopper.open(path)
  expect(last.html).not.toContain('Try another way')
  await shopper.post(`${path}/another-way`, { csrf: last.csrf, attempt_id: first.attemptId })
  await shopper.post(`${path}/another-way`, { csrf: last.csrf, attempt_id: second.attemptId })
  expect(fixture.view(id).attempts).toMatchObject([{ status: 'abandoned' }, { status: 'open' }])
})

test.each(['pay', 'another-way', 'cancel'])('a GET of the %s address redirects to the page', async (action) => {
  const { path } = fixture.payment()
  const response = await newShopper(fixture).get(`${path}/${action}`)
  expect([response.status, response.headers.get('location')]).toEqual([303, path])
})
