import { openPage, type OpenedPage } from './browser.ts'
import { galleryInBrowser } from './gallery-in-browser.ts'

/** The bank form in a real browser. A fake server records what is sent. */
const running = galleryInBrowser()

const open = (name: string, options: Parameters<typeof openPage>[2] = {}): Promise<OpenedPage> =>
  openPage(running.browser, `${running.gallery.url}/checkout/${name}`, options)

test('the search finds banks by both names and by code, says how many, and keeps the selected bank visible', async () => {
  const { page } = await open('choose-bank')
  const shown = async (): Promise<string[]> => (await page.locator('.banks label:visible').allInnerTexts()).sort()
  const search = page.getByLabel('Search banks')
  expect((await shown()).length).toBeGreaterThanOrEqual(50)
  for (const text of ['hdfc', 'एचडीएफसी', 'HDFC BANK']) {
    await search.fill(text)
    expect(await shown()).toEqual(['HDFC Bank'])
    expect(await page.locator('[data-found]').innerText()).toBe('1 bank found')
  }
  await search.press('Enter')
  await page.getByRole('radio', { name: 'HDFC Bank' }).check()
  await search.fill('केनरा')
  expect(await shown()).toEqual(['Canara Bank', 'HDFC Bank'])
  await search.fill('zzz')
  expect(await page.locator('[data-found]').innerText()).toBe('No bank found. Check the spelling.')
  expect(running.gallery.sent).toEqual([])
  await page.context().close()
})

test('without a bank nothing is sent, and the error links to the banks', async () => {
  const { page } = await open('choose-bank')
  await page.getByRole('button', { name: 'Pay ₹1,23,456.00' }).click()
  await page.getByRole('link', { name: 'Choose your bank' }).click()
  await page.locator('input[type=radio]:focus').waitFor()
  expect(running.gallery.sent).toEqual([])
  await page.context().close()
})
