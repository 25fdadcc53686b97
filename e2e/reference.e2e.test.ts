/** The API reference in a browser, as the gateway serves it. */
import { DEFAULT_SCOPES } from '@gateway/contracts'
import { Gateway } from '@gateway/sdk'
import { createMerchant } from '@gateway/testkit'
import { startBrowsers, DEVICES, type Browsers } from './support/browser.ts'
import { sharedStack } from './support/running-stack.ts'

let browsers: Browsers
beforeAll(async () => (browsers = await startBrowsers()))
afterAll(() => browsers.close())

// Proves: reference/page-is-static-and-accessible
test.each(DEVICES)('on a %s the reference needs no script, breaks no policy and is accessible', async (device) => {
  const shopper = await browsers.shopper(device)
  const page = await shopper.newTab()
  const response = await page.goto(`${sharedStack().description.base_url}/docs`)
  expect(response?.status()).toBe(200)
  expect(response?.headers()['content-security-policy']).toBe("default-src 'none'; style-src 'self'")
  expect(await page.locator('script').count()).toBe(0)
  expect(await page.locator('article').count()).toBeGreaterThan(15)
  // The style sheet was loaded.
  expect(await page.evaluate("getComputedStyle(document.querySelector('pre')).borderRadius")).toBe('6px')
  await shopper.inspect(page, 'reference')
  expect(shopper.problems).toEqual([])
  await shopper.close()
})

/** A curl sample of the page, as a request. The shell variables have these values. */
function requestOf(sample: string, variables: Readonly<Record<string, string>>): { url: string; init: RequestInit } {
  const command = sample.replace(/\$([A-Z_]+)/gu, (_, name: string) => variables[name] ?? '')
  const [, method = 'GET'] = /^curl(?: --no-buffer)?(?: -X (\w+))?/u.exec(command) ?? []
  const headers = [...command.matchAll(/-H "([^:]+): ([^"]+)"/gu)].map(([, name = '', value = '']): [string, string] => [
    name,
    value,
  ])
  const [, url = ''] = /"(http[^"]+)"/u.exec(command) ?? []
  const [, body] = /-d '([^]*)'$/u.exec(command) ?? []
  return { url, init: { method, headers, ...(body === undefined ? {} : { body }) } }
}

/** First, so that the others find an order that is paid. */
const FIRST = ['createOrder', 'simulate', 'createRefund', 'createCredential']
/** The others are answered with a status below 300. */
const REFUSED: Readonly<Record<string, number>> = {
  resendDelivery: 404,
  listSettlementLines: 404,
  reportPayment: 401,
  reportRefund: 401,
}

// Proves: reference/examples-run
test('every example of the reference runs against the stack', async () => {
  const { description } = sharedStack()
  const { base_url: baseUrl } = description
  const credentials = await createMerchant(description.operator, { name: 'Readers', scopes: [...DEFAULT_SCOPES, 'refunds'] })
  const gateway = new Gateway({ baseUrl, credentials })
  const browser = await browsers.shopper('desktop')
  const page = await browser.newTab()
  await page.goto(`${baseUrl}/docs`)
  const samples = new Map<string, string>()
  for (const article of await page.locator('article').all())
    samples.set(
      (await article.getAttribute('aria-labelledby')) ?? '',
      (await article.locator('h4:text-is("curl") + pre').textContent()) ?? '',
    )
  await browser.close()

  const made = new Map<string, unknown>()
  const idFor: Readonly<Record<string, () => string>> = {
    readTimeline: () => 'ORD-1001',
    findRefund: () => (made.get('createRefund') as { data: { refund: { id: string } } }).data.refund.id,
    revokeCredential: () => (made.get('createCredential') as { data: { credential: { key_id: string } } }).data.credential.key_id,
  }
  const run = async (name: string): Promise<number> => {
    const token = { BASE_URL: baseUrl, TOKEN: await gateway.token(), ID: idFor[name]?.() ?? 'none.1' }
    const { url, init } = requestOf(samples.get(name) ?? '', token)
    // The page cannot know the reader's credential.
    const body =
      name === 'createToken' ? JSON.stringify({ key_id: credentials.key_id, key_secret: credentials.key_secret }) : init.body
    const response = await fetch(url, { ...init, body: body ?? null })
    const answers = name !== 'listenToWebhooks' && response.headers.get('content-type')?.includes('json') === true
    if (answers) made.set(name, await response.json())
    else await response.body?.cancel()
    return response.status
  }
  const outcomes: Record<string, number> = {}
  for (const name of FIRST) {
    outcomes[name] = await run(name)
    if (name === 'simulate') await gateway.orders.waitForFinal('ORD-1001', { timeoutMs: 30_000 })
  }
  for (const name of samples.keys()) if (!FIRST.includes(name)) outcomes[name] = await run(name)
  expect(Object.keys(outcomes)).toHaveLength(samples.size)
  const unexpected = Object.entries(outcomes).filter(([name, status]) =>
    REFUSED[name] ? status !== REFUSED[name] : status >= 300,
  )
  expect(unexpected).toEqual([])
})
