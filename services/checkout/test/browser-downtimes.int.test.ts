/** An open page when something goes down: it changes by itself, except under the fingers of a shopper. */
import type { Browser } from 'playwright-core'
import { openPage, startBrowser } from './browser.ts'
import { startFakeNetwork, type FakeNetwork } from './fake-network.ts'
import { startFixture, type Fixture } from './fixture.ts'

let browser: Browser
let network: FakeNetwork
let fixture: Fixture
let list: object[] = []
beforeAll(async () => {
  network = await startFakeNetwork()
  network.answer((request) => {
    if (request.path === '/network/v1/capabilities') return { status: 200, body: { contract: 1, downtimes: true } }
    return request.path === '/network/v1/downtimes' ? { status: 200, body: list } : network.charge(request)
  })
  fixture = await startFixture({ networkUrl: network.url, downtimesEveryMs: 50 })
  browser = await startBrowser()
}, 300_000)
afterAll(async () => {
  await browser.close()
  await fixture.stop()
  await network.stop()
})

// Proves: page/downtimes-hide-and-warn
test('the page hides a method that goes down and says so, but keeps a form that is filled in', async () => {
  list = []
  const { path } = fixture.payment()
  const idle = await openPage(browser, fixture.url + path)
  const typing = await openPage(browser, fixture.url + path)
  await typing.page.locator('summary', { hasText: 'Card' }).click()
  await typing.page.getByLabel('Card number').fill('4111111111111111')

  list = [{ method: 'upi', severity: 'high', began_at: '2026-01-01T00:00:00Z' }]
  const text = 'Not working right now, so not offered here: UPI.'
  await idle.page.locator('[data-down]', { hasText: text }).waitFor()
  expect(await idle.page.locator('summary', { hasText: 'UPI' }).count()).toBe(0)
  expect(await idle.page.locator('[data-announce]').innerText()).toContain(text)
  // Both pages get the event in the same turn. Half a second covers its way through the browser.
  await typing.page.waitForTimeout(500)
  expect(await typing.page.getByLabel('Card number').inputValue()).toBe('4111 1111 1111 1111')

  list = []
  await idle.page.locator('summary', { hasText: 'UPI' }).waitFor()
  expect([...idle.complaints, ...typing.complaints]).toEqual([])
  await Promise.all([idle, typing].map(({ page }) => page.context().close()))
})
