import type { Page } from 'playwright-core'
import { eventually } from '@gateway/testkit'
import { openPage, type OpenedPage } from './browser.ts'
import { galleryInBrowser } from './gallery-in-browser.ts'

/** The forms in a real browser. A fake server records what is sent. */
const running = galleryInBrowser()

const open = (name: string, options: Parameters<typeof openPage>[2] = {}): Promise<OpenedPage> =>
  openPage(running.browser, `${running.gallery.url}/checkout/${name}`, options)
const number = (page: Page) => page.getByLabel('Card number')
const fillCard = async (page: Page): Promise<void> => {
  await number(page).fill('4111111111111111')
  await page.getByLabel('Expiry (MM/YY)').fill('12/39')
  await page.getByLabel('CVV').fill('123')
  await page.getByLabel('Name on card').fill('Asha Rao')
}

test.each([
  ['4111111111111111', '4111 1111 1111 1111', 'Visa'],
  ['5555555555554444', '5555 5555 5555 4444', 'Mastercard'],
  ['6521111111111117', '6521 1111 1111 1117', 'RuPay'],
  ['378282246310005', '3782 822463 10005', 'American Express'],
  ['36227206271667', '3622 720627 1667', 'Diners Club'],
  ['6759649826438453', '6759 6498 2643 8453', 'Maestro'],
  ['9999', '9999', ''],
  ['४१११११११११११११११', '4111 1111 1111 1111', 'Visa'],
])('typing %s shows %s and names %s', async (typed, shown, network) => {
  const { page, complaints } = await open('choose-card')
  await number(page).pressSequentially(typed)
  expect(await number(page).inputValue()).toBe(shown)
  expect(await page.locator('[data-network]').innerText()).toBe(network)
  expect(complaints).toEqual([])
  await page.context().close()
})

test('inserting and deleting digits in the middle of the number keeps the caret in position', async () => {
  const { page } = await open('choose-card')
  await number(page).pressSequentially('411111111111111')
  for (let presses = 0; presses < 12; presses += 1) await number(page).press('ArrowLeft')
  await number(page).pressSequentially('25')
  expect(await number(page).inputValue()).toBe('4111 1251 1111 1111 1')
  await number(page).press('Backspace')
  await number(page).press('Backspace')
  expect(await number(page).inputValue()).toBe('4111 1111 1111 111')
  await number(page).pressSequentially('9')
  expect(await number(page).inputValue()).toBe('4111 1911 1111 1111')
  await page.context().close()
})

test.each([
  ['1239', '12/39'],
  ['839', '08/39'],
  ['12/39', '12/39'],
  ['१२३९', '12/39'],
])('an expiry typed as %s becomes %s, and can be deleted', async (typed, shown) => {
  const { page } = await open('choose-card')
  const expiry = page.getByLabel('Expiry (MM/YY)')
  await expiry.pressSequentially(typed)
  expect(await expiry.inputValue()).toBe(shown)
  for (let presses = 0; presses < 5; presses += 1) await expiry.press('Backspace')
  expect(await expiry.inputValue()).toBe('')
  await page.context().close()
})

test('mistakes are listed in a summary that takes the focus and links to the fields; a corrected field loses its error', async () => {
  const { page } = await open('choose-card')
  await number(page).fill('4111111111111112')
  await page.getByLabel('Expiry (MM/YY)').fill('01/20')
  await page.getByLabel('CVV').fill('12')
  await page.getByRole('button', { name: 'Pay ₹1,23,456.00' }).click()
  await page.getByRole('group', { name: 'Please check what you entered' }).and(page.locator(':focus')).waitFor()
  expect(await page.locator('[data-form=card] [data-errors] a').allInnerTexts()).toEqual([
    'This card number is not right. Check the digits',
    'This card has expired. Use another card',
    'The CVV has 3 digits; 4 on American Express',
    'Enter the name on the card',
  ])
  expect(running.gallery.sent).toEqual([])

  await page.getByRole('link', { name: 'This card number is not right' }).click()
  await number(page).and(page.locator(':focus')).waitFor()
  expect(await number(page).getAttribute('aria-invalid')).toBe('true')
  expect(await page.locator(`#${await number(page).getAttribute('aria-describedby')}`).innerText()).toContain('Check the digits')
  await number(page).fill('4111111111111111')
  expect(await number(page).getAttribute('aria-invalid')).toBeNull()
  expect(await page.locator('#card_number-error').innerText()).toBe('')
  await page.context().close()
})

test.each([true, false])('errors found by the server take the focus (scripts: %s)', async (javaScriptEnabled) => {
  const { page } = await open('card-errors', { javaScriptEnabled })
  await page.locator('[data-form=card] [data-errors]:focus').waitFor()
  expect(await page.getByLabel('Name on card').inputValue()).toBe('Asha Rao')
  await page.context().close()
})

test('by keyboard alone, from the top of the page to the payment', async () => {
  const { page } = await open('choose-upi')
  const { keyboard } = page
  const focused = (): Promise<unknown> => page.evaluate(`(({ activeElement: a }) => a.name || a.textContent.trim())(document)`)
  const order: unknown[] = []
  for (let presses = 0; presses < 3; presses += 1) {
    await keyboard.press('Tab')
    order.push(await focused())
  }
  expect(order).toEqual(['हिन्दी', 'UPI', 'Card'])
  await keyboard.press('Enter')
  for (const text of ['4111111111111111', '1239', '123', 'Asha Rao']) {
    await keyboard.press('Tab')
    await keyboard.type(text)
  }
  await keyboard.press('Tab')
  expect(await focused()).toBe('Pay ₹1,23,456.00')
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineWidth')).toBe('3px')
  await keyboard.press('Enter')
  await eventually(() => expect(running.gallery.sent).toHaveLength(1))
  expect(running.gallery.sent[0]?.form).toMatchObject({
    method: 'card',
    card_number: '4111 1111 1111 1111',
    card_expiry: '12/39',
  })
  await page.context().close()
})

test.each([true, false])('one method is open at a time, and each one pays (scripts: %s)', async (javaScriptEnabled) => {
  const { page, complaints } = await open('choose-upi', { javaScriptEnabled, ...{ userAgent: 'Android' } })
  expect(await page.getByRole('link', { name: 'Open UPI app' }).getAttribute('href')).toMatch(/^upi:\/\/pay\?/u)
  await page.locator('summary', { hasText: /^Card$/u }).click()
  await page.getByRole('link', { name: 'Open UPI app' }).waitFor({ state: 'hidden' })
  await fillCard(page)
  await page.getByRole('button', { name: 'Pay ₹1,23,456.00' }).click()
  await page.getByRole('heading', { name: 'Waiting for your bank' }).waitFor()

  await page.goto(`${running.gallery.url}/checkout/choose-upi`)
  await page.locator('summary', { hasText: /^Net banking$/u }).click()
  await page.getByRole('radio', { name: 'HDFC Bank' }).check()
  await page.getByRole('button', { name: 'Pay ₹1,23,456.00' }).click()
  await page.getByRole('heading', { name: 'Waiting for your bank' }).waitFor()
  expect(
    running.gallery.sent.map(({ path, form }) => [path, form['method'], form['attempt_id'], form['csrf'], form['bank']]),
  ).toEqual([
    ['/checkout/choose-upi/pay', 'card', 'A2', 'form-token', undefined],
    ['/checkout/choose-upi/pay', 'netbanking', 'A2', 'form-token', 'HDFC'],
  ])
  expect(complaints).toEqual([])
  await page.context().close()
})

test('a double click sends once, and after going back it can be sent again', async () => {
  const { page } = await open('choose-card')
  await fillCard(page)
  const button = page.locator('[data-form=card] button')
  await button.dblclick()
  await page.getByRole('heading', { name: 'Waiting for your bank' }).waitFor()
  expect(running.gallery.sent).toHaveLength(1)
  await page.goBack()
  await page.getByRole('button', { name: 'Pay ₹1,23,456.00', disabled: false }).waitFor()

  // A page restored from the browser's cache is in the state in which it was left.
  await page.evaluate(`
    const button = document.querySelector('[data-form=card] button')
    button.dataset.sent = button.textContent
    button.disabled = true
    window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`)
  expect(await button.isEnabled()).toBe(true)
  await page.context().close()
})
