import { createSecretKey, type KeyObject } from 'node:crypto'
import { LINK_KEY, startFixture, type Fixture } from './fixture.ts'
import { BANK, newShopper, payFields } from './shopper.ts'

const NEXT_KEY = createSecretKey(Buffer.alloc(32, 4))

let before: Fixture
let replicas: Fixture[]
/** Another replica of checkout for the same payments. */
const replica = (...keys: [KeyObject, ...KeyObject[]]) =>
  startFixture({ checkoutLinkKeys: keys, paymentStatusUrl: before.paymentStatus.url, networkUrl: before.network.url })
beforeAll(async () => {
  before = await startFixture()
  replicas = [await replica(LINK_KEY, NEXT_KEY), await replica(NEXT_KEY, LINK_KEY), await replica(NEXT_KEY)]
})
afterAll(() => Promise.all([before, ...replicas].map((one) => one.stop())))

// Proves: api/checkout-link-key-rotates
test.each([
  ['the old key only', 'both, the old one first', () => [before, replicas[0]]],
  ['both, the old one first', 'both, the new one first', () => [replicas[0], replicas[1]]],
  ['both, the new one first', 'both, the old one first', () => [replicas[1], replicas[0]]],
])('a form of a replica with %s is taken by one with %s', async (_from, _to, pair) => {
  const [from = before, to = before] = pair()
  const { id, path } = before.payment()
  const shopper = newShopper(from)
  const page = await shopper.open(path)
  expect(page.status).toBe(200)
  const cookie = [...shopper.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ')
  const paid = await fetch(`${to.url}${path}/pay`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie },
    body: new URLSearchParams(payFields(page, BANK)),
  })
  expect(paid.status).toBe(303)
  expect(before.view(id).attempts).toMatchObject([{ id: page.attemptId }])
  // The address of the bank's page is sealed with the first key of one replica, and both open it.
  const bank = paid.headers
    .getSetCookie()
    .map((header) => header.split(';')[0])
    .join('; ')
  expect(bank).toMatch(/^checkout_bank=/u)
  for (const { url } of [from, to]) {
    const waiting = await fetch(url + path, { headers: { cookie: `${cookie}; ${bank}` } })
    expect(await waiting.text()).toContain(`href="${path}/bank"`)
  }
})

// Proves: api/checkout-link-key-rotates
test('a link of the old key ends with that key', async () => {
  const { path } = before.payment()
  const statuses = await Promise.all([before, ...replicas].map(async ({ url }) => (await fetch(url + path)).status))
  expect(statuses).toEqual([200, 200, 200, 404])
})
