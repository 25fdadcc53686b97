/** The packed `pgw certify`, the example shop and the real gateway; and the report in a browser. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createMerchant, freePort } from '@gateway/testkit'
import { DEVICES, startBrowsers, type Browsers } from '@gateway-tools/e2e/support/browser'
import { sharedStack } from '@gateway-tools/e2e/support/running-stack'
import type { Report } from '@gateway/certify/report/report'
import { packCli, type Packed } from '../packed.ts'
import { checksWith } from './certify-shop.ts'
import { PROGRAMS, startProgram } from './programs.ts'

let pgw: Packed
let browsers: Browsers
beforeAll(async () => {
  pgw = await packCli()
  browsers = await startBrowsers()
}, 240_000)
afterAll(async () => {
  await browsers.close()
  pgw.remove()
})

// Proves: certify/works-against-the-real-gateway
test('the example shop is certified, and the page of the report is accessible and runs nothing', async () => {
  const { description } = sharedStack()
  const credentials = await createMerchant(description.operator, { name: 'Certified Stores' })
  const env = { PGW_BASE_URL: description.base_url, PGW_KEY_ID: credentials.key_id, PGW_KEY_SECRET: credentials.key_secret }
  const printed = await pgw.run(['listen', '--print-secret'], { env })
  expect(printed).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^whsec_/u) })
  const secret = printed.stdout.trim()

  const port = await freePort()
  const shop = await startProgram(PROGRAMS.reference, { baseUrl: `http://127.0.0.1:${port}`, credentials, secret })
  const folder = join(pgw.folder, 'certified')
  const args = ['--forward-to', `${shop.url}/hook`, '--probe', shop.url, '--port', String(port), '--report', folder, '--json']
  const run = await pgw.run(['certify', ...args], { env }).finally(() => shop.stop())

  const report = JSON.parse(run.stdout) as Report
  expect(
    report.checks.flatMap(({ check, result, reason }) => (result === 'pass' ? [] : [`${check} ${result}: ${reason}`])),
  ).toEqual([])
  expect(checksWith(report, 'pass')).toHaveLength(18)
  expect(run.exitCode).toBe(0)
  for (const text of [run.stdout, run.stderr, readFileSync(join(folder, 'certification.html'), 'utf8')])
    for (const hidden of [secret, credentials.key_secret, '9876543210']) expect(text).not.toContain(hidden)

  const address = pathToFileURL(join(folder, 'certification.html')).href
  for (const device of DEVICES) {
    const shopper = await browsers.shopper(device)
    const page = await shopper.newTab()
    await page.goto(address)
    expect(await page.locator('h1').textContent()).toBe('Webhook receiver: certified')
    expect(await page.locator('script').count()).toBe(0)
    for (const summary of await page.locator('summary').all()) await summary.click()
    await shopper.inspect(page, 'certification')
    expect(shopper.problems).toEqual([])
    await shopper.close()
  }
}, 300_000)
