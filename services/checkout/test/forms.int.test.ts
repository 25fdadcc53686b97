import { startFixture, type Fixture } from './fixture.ts'
import { BANK, CARD, newShopper, payFields, type Shopper } from './shopper.ts'

/** An attempt starts only with a complete and valid form from our own page. */
let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()))
afterAll(() => fixture.stop())

const expectNoAttempt = (id: string): void => {
  expect(fixture.view(id).attempts).toEqual([])
  expect(fixture.network.starts.filter(({ tr }) => tr === id)).toEqual([])
}
const pay = async (details: Record<string, string>, shopper: Shopper = newShopper(fixture)) => {
  const { id, path } = fixture.payment()
  const page = await shopper.open(path)
  const response = await shopper.post(`${path}/pay`, payFields(page, details))
  return { id, path, page, shopper, response, html: await response.text() }
}

test.each<[string, Record<string, string>, string, string]>([
  ['no number', { card_number: '' }, 'card_number', 'Enter the card number'],
  ['a wrong number', { card_number: '4111111111111112' }, 'card_number', 'This card number is not right'],
  ['a number that is too short', { card_number: '411111' }, 'card_number', 'too short or too long'],
  ['no month', { card_expiry: '2034' }, 'card_expiry', 'month and year'],
  ['a card that has expired', { card_expiry: '01/20' }, 'card_expiry', 'has expired'],
  ['a short code', { card_cvv: '73' }, 'card_cvv', 'The CVV has 3 digits'],
  ['no name', { card_name: '' }, 'card_name', 'Enter the name'],
  ['a number as the name', { card_name: '4111 1111 1111 1111' }, 'card_name', 'Enter the name in letters'],
])('%s: the form again, with the error, and no attempt starts', async (_name, fields, field, words) => {
  const { id, response, html, page } = await pay({ ...CARD, ...fields })
  expect(response.status).toBe(422)
  expect(html).toMatch(new RegExp(`id="${field}-error">[^<]*${words}`, 'u'))
  expect(html).toContain(`value="${page.attemptId}"`)
  expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(response.headers.get('cache-control')).toBe('no-store')
  expectNoAttempt(id)
})

test('valid values are shown again; the card number and the CVV never are', async () => {
  const { id, html } = await pay({ ...CARD, card_name: 'Asha <b>', card_expiry: '12/34' })
  expect(html).toContain('value="12/34"')
  expect(html).not.toMatch(/4111|1111|737|<b>|&lt;b&gt;/u)
  const named = await pay({ ...CARD, card_expiry: '99/99' })
  expect(named.html).toContain('value="Asha Rao"')
  expect(named.html).not.toMatch(/4111|737|99\/99/u)
  expectNoAttempt(id)
})

test.each(['card_expiry', 'card_cvv', 'card_name', 'bank', 'attempt_id', 'method', 'csrf'])(
  'a card number sent as %s is not shown again',
  async (field) => {
    const { id, path } = fixture.payment()
    const shopper = newShopper(fixture)
    const page = await shopper.open(path)
    for (const details of [CARD, BANK]) {
      const response = await shopper.post(`${path}/pay`, { ...payFields(page, details), [field]: '4111 1111-1111 1111' })
      const shown = [await response.text(), JSON.stringify([...response.headers]), JSON.stringify([...shopper.cookies])].join('')
      expect(shown).not.toMatch(/4111/u)
    }
    // A field that the method's form does not read has no effect: that payment starts.
    if (['attempt_id', 'method', 'csrf'].includes(field)) expectNoAttempt(id)
  },
)

test('refuses unlisted banks; accepts a test bank in the sandbox', async () => {
  for (const [bank, words] of [
    ['', 'Choose your bank'],
    ['XXXX', 'Choose a bank from the list'],
    ['sbin', 'Choose a bank from the list'],
  ] as const) {
    const { id, response, html } = await pay({ bank })
    expect([response.status, html.includes(words)]).toEqual([422, true])
    expectNoAttempt(id)
  }
  expect((await pay({ bank: 'PASS' })).response.status).toBe(303)
})

test('a form with mistakes, corrected and sent again, pays', async () => {
  const { id, path, shopper, html, page } = await pay({ ...CARD, card_cvv: '' })
  const csrf = /name="csrf"\s+value="([^"]+)"/u.exec(html)?.[1] ?? ''
  const response = await shopper.post(`${path}/pay`, { ...payFields(page), csrf })
  expect(response.headers.get('location')).toBe(`${path}/bank`)
  expect(fixture.view(id).attempts).toHaveLength(1)
})

test.each(['pay', 'another-way', 'cancel'])('%s is accepted only with the token of our own page', async (action) => {
  const { id, path } = fixture.payment({ attempts_left: 2 })
  const shopper = newShopper(fixture)
  const page = await shopper.open(path)
  const fields = payFields(page)
  const before = fixture.view(id).version
  const attacks: [Record<string, string>, Record<string, string>][] = [
    [{ ...fields, csrf: '' }, {}],
    [{ ...fields, csrf: `${page.csrf}x` }, {}],
    [fields, { cookie: '' }],
    [fields, { cookie: 'checkout_session=AAAAAAAAAAAAAAAAAAAAAA' }],
    [fields, { 'sec-fetch-site': 'cross-site' }],
    [fields, { 'sec-fetch-site': 'same-site' }],
    [{ ...fields, csrf: (await shopper.open(fixture.payment().path)).csrf }, {}],
  ]
  for (const [sent, headers] of attacks) {
    const response = await shopper.post(`${path}/${action}`, sent, headers)
    expect(response.status).toBe(403)
    expect(await response.text()).toContain('nothing was changed')
  }
  expect(fixture.view(id).version).toBe(before)
  expectNoAttempt(id)
})

test.each<[string, string, string]>([
  ['too large', `card_name=${'a'.repeat(5000)}`, 'application/x-www-form-urlencoded'],
  [
    'too many fields',
    Array.from({ length: 30 }, (_field, index) => `f${index}=1`).join('&'),
    'application/x-www-form-urlencoded',
  ],
  ['not a form', '{"card_number":"4111111111111111"}', 'application/json'],
  ['of another charset', 'card_number=4111111111111111', 'application/x-www-form-urlencoded; charset=utf-7'],
])('a body that is %s gets an error page without a stack trace', async (_name, body, contentType) => {
  const { id, path } = fixture.payment()
  const response = await fetch(`${fixture.url}${path}/pay`, { method: 'POST', body, headers: { 'content-type': contentType } })
  const html = await response.text()
  expect([400, 403, 413, 415]).toContain(response.status)
  expect(response.headers.get('content-type')).toContain('text/html')
  expect(html).not.toMatch(/4111|node_modules|\.ts:/u)
  expectNoAttempt(id)
})

test('a forged link accepts no form', async () => {
  const { path } = fixture.payment()
  const shopper = newShopper(fixture)
  const page = await shopper.open(path)
  const forged = `${path.slice(0, -4)}AAAA`
  for (const action of ['pay', 'another-way', 'cancel']) {
    expect((await shopper.post(`${forged}/${action}`, payFields(page))).status).toBe(404)
  }
})
