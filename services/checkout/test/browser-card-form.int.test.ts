import type { Page } from 'playwright-core'
import { eventually } from '@gateway/testkit'
import { readCardNumber, readCvv, readExpiry, readName } from '../src/domain/card-fields.ts'
import { isRefused, readPayForm } from '../src/domain/card-form.ts'
import { openPage } from './browser.ts'
import { galleryInBrowser } from './gallery-in-browser.ts'

/** What shoppers type and paste into the card form, in a real browser: the page and the server read it alike. */
const running = galleryInBrowser()

const LABELS = {
  card_number: 'Card number',
  card_expiry: 'Expiry (MM/YY)',
  card_cvv: 'CVV',
  card_name: 'Name on card',
} as const
type Name = keyof typeof LABELS
const GOOD = { card_number: '4111111111111111', card_expiry: '12/39', card_cvv: '123', card_name: 'Asha Rao' }

const openForm = (options = {}) => openPage(running.browser, `${running.gallery.url}/checkout/choose-card`, options)
const fieldOf = (page: Page, name: Name) => page.getByLabel(LABELS[name])

async function send(page: Page, values: Partial<typeof GOOD>): Promise<Readonly<Record<string, string>>> {
  for (const [name, text] of Object.entries({ ...GOOD, ...values })) {
    const field = page.locator(`#${name}`)
    if ((await field.inputValue()) === '') await field.fill(text)
  }
  await page.getByRole('button', { name: 'Pay ₹1,23,456.00' }).click()
  await eventually(() => expect(running.gallery.sent).toHaveLength(1))
  return running.gallery.sent[0]?.form ?? {}
}

const serverReads = (form: Readonly<Record<string, string>>) => {
  const read = readPayForm('card', form, { now: new Date(), environment: 'production' })
  return isRefused(read) ? read.errors : read.details.card
}

// Proves: page/expiry-as-people-type-it
test.each([
  ['1/30', '01/30'],
  ['1-30', '01/30'],
  ['1.30', '01/30'],
  ['1 / 30', '01/30'],
  ['1/2030', '01/30'],
  ['01/2030', '01/30'],
  ['0130', '01/30'],
  ['012030', '01/30'],
  ['130', '01/30'],
  ['13/0', '01/30'],
  ['12 30', '12/30'],
  ['１２／３０', '12/30'],
])('an expiry typed as %s becomes %s, and the server reads it', async (typed, shown) => {
  const { page, complaints } = await openForm()
  await fieldOf(page, 'card_expiry').pressSequentially(typed)
  expect(await fieldOf(page, 'card_expiry').inputValue()).toBe(shown)
  const [expiry_month, short] = shown.split('/')
  expect(serverReads(await send(page, {}))).toMatchObject({ expiry_month, expiry_year: `20${short}` })
  expect(complaints).toEqual([])
  await page.context().close()
})

// Proves: page/expiry-as-people-type-it, page/unknown-card-range-goes-to-the-network, page/name-on-card-as-customer-name
test.each<[Name, string, object]>([
  ['card_expiry', '2030-01', { expiry_month: '01', expiry_year: '2030' }],
  ['card_expiry', ' 1 / 2030 ', { expiry_month: '01', expiry_year: '2030' }],
  ['card_number', '4111.1111.1111.1111', { number: '4111111111111111' }],
  ['card_number', '\u202d4111\u00a01111\u20111111\u200b1111\u202c', { number: '4111111111111111' }],
  ['card_number', '４１１１　１１１１　１１１１　１１１１', { number: '4111111111111111' }],
  ['card_number', '6220 1812 3456 7890 128', { number: '6220181234567890128' }],
  ['card_number', '5892000000000000', { number: '5892000000000000' }],
  ['card_number', '5028010000000006', { number: '5028010000000006' }],
  ['card_number', '999900000000000004', { number: '999900000000000004' }],
  ['card_cvv', ' 7 3 7 ', { cvv: '737' }],
  ['card_cvv', '७३७', { cvv: '737' }],
  ['card_name', '  അക്‍ഷ   O’Brien ', { name: 'അക്‍ഷ O’Brien' }],
])('%s pasted as %j is read alike with and without a script', async (name, pasted, expected) => {
  for (const javaScriptEnabled of [true, false]) {
    const { page } = await openForm({ javaScriptEnabled })
    running.gallery.sent.splice(0)
    await fieldOf(page, name).fill(pasted)
    expect(serverReads(await send(page, {}))).toMatchObject(expected)
    await page.context().close()
  }
})

// Proves: page/expiry-as-people-type-it
test('whatever is in a field: page and server say the same of it', async () => {
  const { page } = await openForm()
  const texts = [
    ...[
      '',
      ' ',
      '1/30',
      '13/0',
      '1/3',
      '113',
      '130',
      '2030-01',
      '00/30',
      '12/99',
      'Jan 30',
      '१/३०',
      '1/1/30',
      '12/2030',
      '01/20',
    ],
    ...[
      '4111111111111111',
      '4111 1111 1111 1112',
      '411111111111111',
      '4111x',
      '6220181234567890128',
      '99999999999999999999',
      '1',
    ],
    ...[
      '737',
      '73',
      '7 3 7',
      '12345',
      'abc',
      'Asha',
      'A',
      '<b>A</b>',
      'ക്‍ഷ',
      'O’Brien',
      'a\u0007',
      'a'.repeat(101),
      '४'.repeat(12),
    ],
  ]
  const now = new Date()
  const ofPage = await page.evaluate(`(${JSON.stringify(texts)}).map((text) =>
    [readCardNumber(text), readExpiry(text, new Date(${now.getTime()})), readCvv(text, undefined), readName(text)])`)
  const ofServer = texts.map((text) => [readCardNumber(text), readExpiry(text, now), readCvv(text, undefined), readName(text)])
  // The page's table of networks also has their marks.
  expect(withoutMarks(ofPage)).toEqual(withoutMarks(ofServer))
  await page.context().close()
})

function withoutMarks(read: unknown): unknown {
  return JSON.parse(JSON.stringify(read, (key, value: unknown) => (key === 'mark' ? undefined : value)))
}
