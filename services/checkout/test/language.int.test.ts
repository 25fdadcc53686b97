import { startFixture, type Fixture } from './fixture.ts'
import { CARD, newShopper, payFields } from './shopper.ts'

let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()))
afterAll(() => fixture.stop())

const languageOf = (html: string): string => /<html lang="([a-z]+)"/u.exec(html)?.[1] ?? 'none'

test.each([
  ['nothing is asked for', undefined, 'en'],
  ['Hindi of India', 'hi-IN,hi;q=0.9,en;q=0.8', 'hi'],
  ['English before Hindi', 'en-IN,en;q=0.9,hi;q=0.8', 'en'],
  ['an unsupported language, then Hindi', 'ta,hi;q=0.5', 'hi'],
  ['an unsupported language', 'ta', 'en'],
  ['nonsense', ';;;q=', 'en'],
])('chooses a language when the browser asks for %s', async (_name, accepts, language) => {
  const { path } = fixture.payment()
  const response = await newShopper(fixture).get(path, accepts === undefined ? {} : { 'accept-language': accepts })
  expect(languageOf(await response.text())).toBe(language)
})

test('the chosen language is remembered: on the page, its forms, its live state, the bank page and error pages', async () => {
  const { path } = fixture.payment({ attempts_left: 3 })
  const shopper = newShopper(fixture)
  expect(languageOf((await shopper.open(`${path}?lang=hi`)).html)).toBe('hi')
  expect(shopper.cookies.get('checkout_lang')?.header).toMatch(
    /^checkout_lang=hi; Max-Age=\d+; Path=\/checkout; .*HttpOnly; SameSite=Lax$/u,
  )

  const page = await shopper.open(path)
  expect(languageOf(page.html)).toBe('hi')
  const refused = await shopper.post(`${path}/pay`, payFields(page, { ...CARD, card_cvv: '' }))
  expect(languageOf(await refused.text())).toBe('hi')
  const state: unknown = await (await shopper.get(`${path}/state`)).json()
  expect(JSON.stringify(state)).toMatch(/\p{Script=Devanagari}/u)
  await shopper.post(`${path}/pay`, payFields(page))
  expect(languageOf(await (await shopper.get(`${path}/bank`)).text())).toBe('hi')
  expect(languageOf(await (await shopper.get('/checkout/garbage')).text())).toBe('hi')

  expect(languageOf((await shopper.open(`${path}?lang=en`)).html)).toBe('en')
  expect(languageOf((await shopper.open(path)).html)).toBe('en')
})

test.each(['ta', '', 'hi&lang=en', '4111111111111111', 'hi%0d%0aset-cookie:x=1'])('?lang=%s chooses nothing', async (lang) => {
  const { path } = fixture.payment()
  const shopper = newShopper(fixture)
  const { html, status } = await shopper.open(`${path}?lang=${lang}`)
  expect([status, languageOf(html), shopper.cookies.has('checkout_lang'), shopper.cookies.has('x')]).toEqual([
    200,
    'en',
    false,
    false,
  ])
})

test('the live state equals the event stream, and is not cached', async () => {
  const { id, path } = fixture.payment()
  const shopper = newShopper(fixture)
  await shopper.open(path)
  const response = await shopper.get(`${path}/state`)
  expect(response.headers.get('cache-control')).toContain('no-store')
  const state: unknown = await response.json()
  expect(state).toMatchObject({ key: 'choose:0:none', over: false })
  // The forms in it carry the browser's own token.
  expect(JSON.stringify(state)).toContain('name=\\"csrf\\"')
  fixture.change(id, { status: 'Success' })
  expect(await (await shopper.get(`${path}/state`)).json()).toMatchObject({ key: 'success', over: true })
  expect((await shopper.get('/checkout/garbage/state')).status).toBe(404)
})

test('in production every cookie is Secure', async () => {
  const production = await startFixture({ environment: 'production' })
  try {
    const { path } = production.payment()
    const shopper = newShopper(production)
    await shopper.post(`${path}/pay`, payFields(await shopper.open(`${path}?lang=hi`)))
    await shopper.post(`${path}/pay`, payFields(await shopper.open(path), { bank: 'SBIN' }))
    expect([...shopper.cookies.keys()].sort()).toEqual(['checkout_lang', 'checkout_notice', 'checkout_session'])
    for (const { header } of shopper.cookies.values())
      expect(header).toMatch(/; Path=\/checkout.*; HttpOnly; Secure; SameSite=Lax/u)
  } finally {
    await production.stop()
  }
})

test('the state that the page already shows is not sent again, and pages are compressed', async () => {
  const { id, path } = fixture.payment()
  const shopper = newShopper(fixture)
  const known = 'choose:0:none'
  expect((await shopper.get(`${path}/state?key=${known}`)).status).toBe(204)
  fixture.change(id, { status: 'Success' })
  expect(await (await shopper.get(`${path}/state?key=${known}`)).json()).toMatchObject({ key: 'success' })

  const page = await fetch(fixture.url + path, { headers: { 'accept-encoding': 'gzip' } })
  expect(page.headers.get('content-encoding')).toBe('gzip')
  expect(await page.text()).toContain('Payment successful')
  expect(
    (await fetch(fixture.url + path, { headers: { 'accept-encoding': 'identity' } })).headers.get('content-encoding'),
  ).toBeNull()
})
