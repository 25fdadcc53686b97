import type { TransactionView } from '@gateway/contracts'
import { aView } from '../../test/transaction-view.ts'
import { NO_OUTAGES } from '../domain/outages.ts'
import { inLanguage } from '../domain/words.ts'
import { bankPage, messagePage } from './message-page.ts'
import type { LayoutContext, PanelContext } from './panel-context.ts'
import { liveView, paymentPage } from './payment-page.ts'

const NASTY = `<script>alert("x")</script>'`
const context: PanelContext & LayoutContext = {
  csrf: 'form-token',
  now: new Date(),
  nonce: 'n0nce',
  environment: 'sandbox',
  ...inLanguage('en'),
  path: '/checkout/T1-mac',
  platform: 'other',
  attemptId: 'A1',
  form: undefined,
  notice: undefined,
  canContinueAtBank: false,
  outages: NO_OUTAGES,
}
const page = (fields: Partial<TransactionView> = {}, more: Partial<PanelContext> = {}): string =>
  paymentPage(aView('T1', fields), { ...context, ...more }).markup
/** The main part of the page, without style and script. */
const seen = (...about: Parameters<typeof page>): string => /<main[\s\S]*<\/main>/u.exec(page(...about))?.[0] ?? ''
const open = (fields: Partial<TransactionView['attempts'][number]> = {}): Partial<TransactionView> => ({
  status: 'Pending',
  payable: false,
  attempts_left: 1,
  attempts: [
    {
      id: 'A1',
      method: 'netbanking',
      status: 'open',
      failure_reason: null,
      failure_code: null,
      rrn: null,
      reference: null,
      started_at: '',
      ended_at: null,
      ...fields,
    },
  ],
})

test('shows amount, merchant, description, order, QR code and link', () => {
  const shown = page()
  expect(shown).toContain('₹1,23,456.00')
  expect(shown).toContain('Asha &amp; Sons')
  expect(shown).toContain('Blue shirt')
  expect(shown).toContain('ORD-1001')
  expect(shown).toMatch(/<svg\s+class="qr"/u)
  expect(shown).toContain('href="upi://pay?pa=shop@sandbox&amp;pn=Asha%20%26%20Sons&amp;')
})

test.each<[string, Partial<TransactionView>]>([
  ['the merchant', { merchant: { id: 'M1', name: NASTY } }],
  ['the description', { description: NASTY }],
  ['the link', { checkout: { url: '', intent: `upi://pay?tr=T1&tn="${NASTY}` } }],
  ['the way back', { status: 'Success', return_url: `https://shop.example/?x="${NASTY}` }],
])('%s cannot become markup', (_name, fields) => {
  const shown = page(fields)
  expect(shown).not.toContain('<script>alert')
  expect(shown).not.toContain('""<')
})

test('holds only our own style and script, with the nonce, and loads nothing from elsewhere', () => {
  const shown = page()
  for (const [tag] of shown.matchAll(/<(?:script|style)\b[^>]*>/gu)) expect(tag).toContain('nonce="n0nce"')
  expect(shown).not.toMatch(/<[^>]*\bon[a-z]+="|style="|<script[^>]+src=|url\(|@import/u)
})

test.each([
  ['all', ['upi', 'card', 'netbanking'], ['UPI', 'Card', 'Net banking']],
  ['two', ['netbanking', 'card'], ['Card', 'Net banking']],
  ['one', ['netbanking'], ['Net banking']],
] as const)(
  'an order with %s of the methods offers exactly these, UPI first, with the first one open',
  (_name, methods, names) => {
    const summaries = [
      ...seen({ methods }).matchAll(
        /<details class="method" name="method"\s*(open)?>\s*<summary><span class="dot"><\/span>([^<\n]+)/gu,
      ),
    ]
    expect(summaries.map(([, , name]) => name)).toEqual(names)
    expect(summaries.map(([, isOpen]) => isOpen !== undefined)).toEqual(names.map((_method, index) => index === 0))
  },
)

test('a form with mistakes is open, shows each error beside its field, and keeps the values that may be shown', () => {
  const shown = page(
    {},
    {
      form: {
        method: 'card',
        values: { name: NASTY, expiry: '13/29' },
        errors: [{ field: 'card_expiry', code: 'expiry_format' }],
      },
    },
  )
  expect(shown).toMatch(/<details class="method" name="method"\s+open>\s*<summary><span class="dot"><\/span>Card/u)
  const expiry = /<input\s+id="card_expiry"[^>]*>/u.exec(shown)?.[0]
  expect(expiry).toContain('value="13/29"')
  expect(expiry).toContain('aria-describedby="card_expiry-error"')
  expect(expiry).toContain('aria-invalid="true"')
  expect(shown).toMatch(/<p class="error" id="card_expiry-error">Enter the expiry as month and year/u)
  expect(shown).toMatch(/data-errors\s+autofocus/u)
  expect(shown).toContain('value="&lt;script&gt;')
  expect(shown).toMatch(/name="card_number"\s+value=""/u)
})

test('shows no form without a CSRF token', () => {
  expect(seen({}, { csrf: undefined })).not.toContain('<form')
})

test.each([
  ['success', { status: 'Success' as const }],
  ['failed', { status: 'Failed' as const, failure_reason: 'declined' as const }],
])('after %s there is a return link, and no QR code, cancel button or refresh', (_name, fields) => {
  const shown = seen(fields)
  expect(shown).toContain(`href="https://shop.example/back?cart=7&amp;order_id=ORD-1001&amp;status=${fields.status}"`)
  expect(shown).toContain('You may also close this page.')
  expect(shown).not.toMatch(/class="qr"|Cancel payment|http-equiv="refresh"|<form/u)
})

// Proves: page/receipt
test('a paid page is a receipt: transaction, bank reference and method; a failed page names the transaction', () => {
  const paid = seen({ status: 'Success', method: 'debit_card', rrn: '633012345678' })
  for (const fact of ['T1', '633012345678', 'Card']) expect(paid).toMatch(new RegExp(`<dd>${fact}</dd>`, 'u'))
  expect(seen({ status: 'Success', return_url: null, rrn: null })).toMatch(/Transaction number<\/dt>\s*<dd>T1<\/dd>/u)
  const failed = seen({ status: 'Failed', failure_reason: 'expired', rrn: '633012345678' })
  expect(failed).toMatch(/<dd>T1<\/dd>/u)
  expect(failed).not.toContain('633012345678')
})

// Proves: page/method-in-use-stays-open
test.each([
  ['credit_card', 'Card'],
  ['netbanking', 'Net banking'],
  ['upi', 'UPI'],
] as const)('after a declined %s, %s is open, with the reason in words', (method, name) => {
  const declined = { status: 'failed', failure_reason: 'declined', failure_code: 'insufficient_funds' } as const
  const shown = seen({ ...open({ method, ...declined }), payable: true })
  expect(shown).toMatch(new RegExp(`name="method"\\s+open>\\s*<summary><span class="dot"></span>${name}`, 'u'))
  expect(shown.match(/name="method"\s+open>/gu)).toHaveLength(1)
  expect(shown).toContain('There was not enough money')
})

// Proves: page/one-time-to-pay
test('how long there is to pay is one sentence: a countdown, and until when', () => {
  const words = seen({ expires_at: new Date(context.now.getTime() + 65_000).toISOString() }).replace(/<[^>]*>|\s+/gu, ' ')
  expect(words.replace(/ +/gu, ' ')).toMatch(/Time left to pay: 1:05 \(until \d{1,2}:\d\d [ap]m IST\)/u)
})

test.each([
  ['waiting', open()],
  ['closing', { closing: 'cancelled' as const }],
])('%s shows no QR code and no card form, so that nobody pays twice', (_name, fields) => {
  expect(seen(fields)).not.toMatch(/class="qr"|upi:\/\/|card_number"/u)
})

test('while waiting: a link to the bank if this browser has its address, and another way if an attempt is left', () => {
  expect(seen(open(), { canContinueAtBank: true })).toContain('href="/checkout/T1-mac/bank"')
  expect(seen(open())).not.toContain('/bank"')
  expect(seen(open({ method: 'upi' }), { canContinueAtBank: true })).not.toContain('/bank"')
  expect(seen(open())).toMatch(/another-way">[\s\S]*name="attempt_id" value="A1"[\s\S]*Try another way/u)
  expect(seen({ ...open(), attempts_left: 0 })).not.toContain('another-way')
})

test('no page reloads while there is something to fill in or press', () => {
  for (const fields of [{}, open()]) expect(page(fields)).not.toContain('http-equiv="refresh"')
  expect(page({ closing: 'expired' })).toMatch(/<noscript>\s*<meta http-equiv="refresh" content="5" \/>\s*<\/noscript>/u)
})

test('only the sandbox shows its label and test banks', () => {
  expect(page()).toMatch(/no real money moves[\s\S]*value="PASS"/u)
  expect(page({}, { environment: 'production' })).not.toMatch(/no real money moves|value="PASS"/u)
})

test('phones get apps first and the QR code behind a button, and each language has its own texts', () => {
  expect(page({}, { platform: 'android' })).toMatch(/intent:\/\/pay[\s\S]*<details class="more">[\s\S]*class="qr"/u)
  expect(page({}, inLanguage('hi'))).toMatch(/<html lang="hi">[\s\S]*href="\/checkout\/T1-mac\?lang=en"/u)
  expect(seen({}, inLanguage('hi'))).not.toMatch(/>[^<]*(?:Pay |Card number|Net banking)[^<]*</u)
})

test('a live update carries an announcement for screen readers', () => {
  expect(liveView(aView('T1', { status: 'Success' }), context)).toMatchObject({
    title: 'Payment successful · Asha & Sons',
    announcement: 'Payment successful. Your payment to Asha & Sons is complete.',
    key: 'success',
    over: true,
  })
})

test('the bank page goes to the bank by itself, and by a link', () => {
  const shown = bankPage(aView('T1'), 'https://bank.example/?a=1&b="2"', context).markup
  expect(shown).toContain('http-equiv="refresh" content="0; url=https://bank.example/?a=1&amp;b=&quot;2&quot;"')
  expect(shown).toContain('href="https://bank.example/?a=1&amp;b=&quot;2&quot;"')
})

test('a message that reloads says when', () => {
  const again = messagePage('try_again', { ...context, retryAfterSeconds: 7 }).markup
  expect(again).toContain('http-equiv="refresh" content="7; url=/checkout/T1-mac"')
  expect(again).toContain('data-reload-seconds="7"')
  expect(messagePage('link_not_valid', context).markup).not.toMatch(/http-equiv="refresh"|<script/u)
})

test.each([{}, { methods: ['netbanking'] as const }, open(), { status: 'Success' as const }])(
  'the page of %o is under 60 kB',
  (fields) => {
    for (const language of ['en', 'hi'] as const)
      expect(Buffer.byteLength(page(fields, { ...inLanguage(language), platform: 'android' }))).toBeLessThan(60_000)
  },
)
