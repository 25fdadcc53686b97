import { checkoutUrl } from '@gateway/contracts'
import { anAttempt } from './fake-payment-status.ts'
import { LINK_KEY, PUBLIC_URL, startFixture, type Fixture } from './fixture.ts'
import { BANK, CARD, newShopper, payFields } from './shopper.ts'

/** Paying with a card or a bank. */
let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()))
afterAll(() => fixture.stop())
afterEach(() => fixture.network.restore())

const startsOf = (id: string) => fixture.network.starts.filter(({ tr }) => tr === id)

test('a card: the attempt is committed and started as the contract requires, and the shopper goes to the bank', async () => {
  const { id, path } = fixture.payment()
  const shopper = newShopper(fixture)
  const page = await shopper.open(path)
  expect(page.attemptId).toMatch(/^att_[\w-]{22}$/u)

  const response = await shopper.post(`${path}/pay`, payFields(page))
  expect(response.status).toBe(303)
  expect(response.headers.get('location')).toBe(`${path}/bank`)
  expect(fixture.view(id).attempts).toMatchObject([{ id: page.attemptId, method: 'credit_card', status: 'open' }])
  expect(startsOf(id)).toEqual([
    {
      attempt_id: page.attemptId,
      tr: id,
      method: 'credit_card',
      amount: '123456.00',
      currency: 'INR',
      description: 'Blue shirt',
      return_url: checkoutUrl(PUBLIC_URL, id, LINK_KEY),
      card: { number: '4111111111111111', expiry_month: '12', expiry_year: '2034', cvv: '737', name: 'Asha Rao' },
    },
  ])

  const bank = await shopper.get(`${path}/bank`)
  const markup = await bank.text()
  expect(bank.status).toBe(200)
  const address = 'http://bank.example/pay?x=1&amp;y=&quot;2&quot;'
  expect(markup).toContain(`href="${address}"`)
  expect(markup).toMatch(/<meta http-equiv="refresh" content="0; ?url=http:\/\/bank\.example/u)
  expect(bank.headers.get('content-security-policy')).toContain("form-action 'self'")
  expect(bank.headers.get('referrer-policy')).toBe('no-referrer')
})

test('a bank, and a Maestro card as a debit card', async () => {
  for (const [details, method, sent] of [
    [BANK, 'netbanking', { netbanking: { bank: 'SBIN' } }],
    [{ ...CARD, card_number: '6759649826438453' }, 'debit_card', { card: { number: '6759649826438453' } }],
  ] as const) {
    const { id, path } = fixture.payment()
    const shopper = newShopper(fixture)
    const response = await shopper.post(`${path}/pay`, payFields(await shopper.open(path), details))
    expect(response.headers.get('location')).toBe(`${path}/bank`)
    expect(fixture.view(id).attempts).toMatchObject([{ method }])
    expect(startsOf(id)).toMatchObject([{ method, ...sent }])
  }
})

test('decided at once, without a bank page: back to the payment page, which waits for the report', async () => {
  const { id, path } = fixture.payment()
  const shopper = newShopper(fixture)
  const body = { reference: 'R-1', status: 'success', redirect_url: null, reason: null }
  fixture.network.answer(() => ({ status: 201, body }))
  const response = await shopper.post(`${path}/pay`, payFields(await shopper.open(path)))
  expect([response.status, response.headers.get('location')]).toEqual([303, path])
  expect(startsOf(id)).toHaveLength(1)
  expect((await shopper.open(path)).html).toContain('Waiting for your bank')
})

test('only this browser keeps the bank’s address, sealed for this attempt', async () => {
  const { id, path } = fixture.payment({ attempts_left: 2 })
  const shopper = newShopper(fixture)
  const page = await shopper.open(path)
  await shopper.post(`${path}/pay`, payFields(page))
  const cookie = shopper.cookies.get('checkout_bank')
  expect(cookie?.header).toMatch(new RegExp(`; Path=${path}; Expires=[^;]+; HttpOnly; SameSite=Lax$`, 'u'))
  expect(cookie?.value).not.toContain('bank.example')
  expect(Buffer.from(cookie?.value ?? '', 'base64url').toString('latin1')).not.toContain('bank.example')

  // Back from the bank, the page links to it again; another browser has no address and no link.
  expect((await shopper.open(path)).html).toContain(`href="${path}/bank"`)
  const other = newShopper(fixture)
  expect((await other.open(path)).html).not.toContain(`${path}/bank`)
  expect((await other.get(`${path}/bank`)).headers.get('location')).toBe(path)

  // A changed cookie, or one of an earlier attempt, is ignored.
  const forged = `checkout_bank=${cookie?.value.slice(0, -4) ?? ''}AAAA`
  expect((await other.get(`${path}/bank`, { cookie: forged })).headers.get('location')).toBe(path)
  fixture.change(id, {
    attempts: [anAttempt(page.attemptId, 'credit_card', { status: 'abandoned' }), anAttempt('att_next', 'netbanking')],
  })
  expect((await shopper.get(`${path}/bank`)).headers.get('location')).toBe(path)
  expect((await shopper.open(path)).html).not.toContain(`${path}/bank`)
})

test('after the payment has ended there is no link to the bank', async () => {
  const { id, path } = fixture.payment()
  const shopper = newShopper(fixture)
  await shopper.post(`${path}/pay`, payFields(await shopper.open(path)))
  fixture.change(id, { status: 'Success' })
  expect((await shopper.get(`${path}/bank`)).headers.get('location')).toBe(path)
})
