import { createSecretKey } from 'node:crypto'
import { request } from 'node:http'
import { checkoutToken, newTransactionId } from '@gateway/contracts'
import { startFixture, type Fixture } from './fixture.ts'
import { newShopper, payFields } from './shopper.ts'

/** Requests without a valid link, from a bank's form, or with a body that no form of ours sends. */
let fixture: Fixture
beforeAll(async () => (fixture = await startFixture()))
afterAll(() => fixture.stop())

const NO_LINK = `/checkout/${checkoutToken(newTransactionId(new Date(), 0), createSecretKey(Buffer.alloc(32, 9)))}`

/** The status of the answer to a form whose body is never sent. */
function statusBeforeTheBody(path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': 400 }
    const asked = request(fixture.url + path, { method: 'POST', headers }, (response) => {
      resolve(response.statusCode)
      asked.destroy()
    })
    asked.once('error', reject)
    asked.setTimeout(30_000, () => asked.destroy(new Error('the service waited for the body')))
    asked.write('c')
  })
}

test.each(['pay', 'another-way', 'cancel'])('%s with a forged link is refused before its body is read', async (action) => {
  expect(await statusBeforeTheBody(`${NO_LINK}/${action}`)).toBe(404)
})

test('a bank that returns the browser by POST: redirect to the page', async () => {
  const { path } = fixture.payment()
  const response = await newShopper(fixture).post(path, { PaRes: 'x' }, { 'sec-fetch-site': 'cross-site' })
  expect([response.status, response.headers.get('location')]).toEqual([303, path])
  expect((await newShopper(fixture).post(NO_LINK, {})).status).toBe(404)
})

// Proves: api/one-reader-of-bodies
test.each<[string, Record<string, string>, string, number]>([
  ['more fields than a form has', {}, Array.from({ length: 30 }, (_, index) => `&f${index}=1`).join(''), 400],
  ['a name in Latin-1', {}, '&card_name=Jos%E9', 400],
  ['another charset', { 'content-type': 'application/x-www-form-urlencoded; charset=iso-8859-1' }, '', 415],
  ['a body in another encoding than declared', { 'content-encoding': 'gzip' }, '', 415],
])('%s: the link stays valid, and no attempt starts', async (_name, headers, more, status) => {
  const { id, path } = fixture.payment()
  const shopper = newShopper(fixture)
  const fields = new URLSearchParams(payFields(await shopper.open(path))).toString()
  const response = await fetch(`${fixture.url}${path}/pay`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: fields + more,
  })
  expect(response.status).toBe(status)
  const html = await response.text()
  expect(html).toContain(`href="${path}"`)
  expect(html).not.toContain('not valid')
  expect(html).not.toMatch(/4111/u)
  expect(fixture.view(id).attempts).toEqual([])
})
