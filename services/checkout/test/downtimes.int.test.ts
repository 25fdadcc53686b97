/** What the connector lists as down: hidden, warned of, and refused. */
import type { Log } from '@gateway/service-kit'
import { eventually, type JsonReply } from '@gateway/testkit'
import { startFakeNetwork, type FakeNetwork } from './fake-network.ts'
import { startFixture, type Fixture } from './fixture.ts'
import { BANK, newShopper, payFields } from './shopper.ts'

const POLL_MS = 50
const logged: string[] = []
const keep = (message: string): void => void logged.push(message)
const log: Log = { info: () => undefined, warn: keep, error: keep, debug: () => undefined }

let fixture: Fixture
/** What the connector lists. */
let downtimes: JsonReply = { status: 200, body: [] }
let network: FakeNetwork
beforeAll(async () => {
  network = await startFakeNetwork()
  network.answer((request) => {
    if (request.path === '/network/v1/capabilities') return { status: 200, body: { contract: 1, downtimes: true } }
    return request.path === '/network/v1/downtimes' ? downtimes : network.charge(request)
  })
  fixture = await startFixture({ log, downtimesEveryMs: POLL_MS, networkUrl: network.url })
})
afterAll(async () => {
  await fixture.stop()
  await network.stop()
})

const asked = () => network.requests.filter(({ path }) => path === '/network/v1/downtimes').length
const began_at = '2026-01-01T00:00:00Z'

/** Sets the list, and waits until checkout has asked for it. */
async function set(list: object[]): Promise<void> {
  downtimes = { status: 200, body: list }
  const before = asked()
  await eventually(() => expect(asked()).toBeGreaterThan(before + 1))
}

// Proves: connector/away-changes-nothing
test('a connector that lists no downtimes is never asked for them', async () => {
  const old = await startFixture({ downtimesEveryMs: POLL_MS })
  const pathsAsked = () => old.network.requests.map(({ path }) => path)
  await eventually(() => expect(pathsAsked()).toContain('/network/v1/capabilities'))
  const { html } = await newShopper(old).open(old.payment().path)
  await old.stop()
  expect([/data-(?:down|slow)/u.test(html), new Set(pathsAsked())]).toEqual([false, new Set(['/network/v1/capabilities'])])
})

// Proves: page/downtimes-hide-and-warn, page/hidden-method-is-refused
test('a hidden method is named and not offered, and a form of it that was open is refused', async () => {
  const { id, path } = fixture.payment()
  const shopper = newShopper(fixture)
  const before = await shopper.open(path)
  await set([
    { method: 'credit_card', severity: 'high', began_at },
    { method: 'debit_card', severity: 'high', began_at },
    { method: 'upi', severity: 'medium', began_at },
  ])

  const { html } = await shopper.open(path)
  expect(html).toContain('Not working right now, so not offered here: Card.')
  expect(html).toContain('Payments this way may fail or take longer right now.')
  expect(html).not.toContain('name="card_number"')
  expect(html).toContain('upi://pay?')

  const response = await shopper.post(`${path}/pay`, payFields(before))
  expect([response.status, response.headers.get('location')]).toEqual([303, path])
  expect((await shopper.open(path)).html).toContain('This way to pay is not working right now, so nothing was started.')
  expect([fixture.view(id).attempts, network.starts.filter(({ tr }) => tr === id)]).toEqual([[], []])
})

// Proves: page/downtimes-hide-and-warn, page/hidden-method-is-refused
test('a hidden bank is named and not listed, and a form with it gets an error at the bank', async () => {
  const { id, path } = fixture.payment()
  const shopper = newShopper(fixture)
  await set([
    { method: 'netbanking', instrument: 'SBIN', severity: 'high', began_at },
    { method: 'netbanking', instrument: 'HDFC', severity: 'medium', began_at },
  ])
  const page = await shopper.open(path)
  expect(page.html).toContain('Not working right now, so not in the list: State Bank of India.')
  expect(page.html).toContain('Payments may fail or take longer right now: HDFC Bank.')
  expect([page.html.includes('value="SBIN"'), page.html.includes('value="HDFC"')]).toEqual([false, true])

  const refused = await shopper.post(`${path}/pay`, payFields(page, BANK))
  expect([refused.status, (await refused.text()).includes('This bank is not working right now. Choose another bank')]).toEqual([
    422,
    true,
  ])
  expect([fixture.view(id).attempts, network.starts.filter(({ tr }) => tr === id)]).toEqual([[], []])
  expect((await shopper.post(`${path}/pay`, payFields(page, { bank: 'HDFC' }))).headers.get('location')).toBe(`${path}/bank`)
})

// Proves: page/downtimes-hide-and-warn
test('an open page is told, and a payment that has begun goes on', async () => {
  const { path } = fixture.payment({ methods: ['netbanking'] })
  const shopper = newShopper(fixture)
  await set([])
  const page = await shopper.open(path)
  await set([{ method: 'netbanking', severity: 'high', began_at }])
  const state = async () => (await shopper.get(`${path}/state`)).json() as Promise<{ key: string; html: string }>
  expect(await state()).toMatchObject({
    key: 'all_down',
    html: expect.stringContaining('Payments are not working right now') as string,
  })
  await set([])
  expect((await state()).key).toBe('choose:0:none')
  await shopper.post(`${path}/pay`, payFields(page, BANK))
  await set([{ method: 'netbanking', severity: 'high', began_at }])
  expect((await shopper.post(`${path}/pay`, payFields(page, BANK))).headers.get('location')).toBe(`${path}/bank`)
})

// Proves: connector/away-changes-nothing
test('a connector that is away changes nothing, and is logged once', async () => {
  await set([{ method: 'upi', severity: 'high', began_at }])
  logged.length = 0
  const before = asked()
  downtimes = { status: 503 }
  await eventually(() => expect(asked()).toBeGreaterThan(before + 3))
  expect((await newShopper(fixture).open(fixture.payment().path)).html).toContain(
    'Not working right now, so not offered here: UPI.',
  )
  expect(logged.filter((message) => message === 'downtimes lookup failed')).toHaveLength(1)
})
