import type { TransactionView } from '@gateway/contracts'
import { aView } from '../../test/a-view.ts'
import { messagePage } from './message-page.ts'
import { paymentPage } from './payment-page.ts'

const NASTY = `<script>alert("x")</script>'`
const page = (fields: Partial<TransactionView> = {}, environment: 'sandbox' | 'production' = 'sandbox'): string =>
  paymentPage(aView('T1', fields), { token: 'T1-mac', csrf: 'form-token', now: new Date(), nonce: 'n0nce', environment }).markup

test('it shows amount, merchant, description, order, code and link', () => {
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

test('only our own style and script stand in it, with the nonce, and nothing is loaded from elsewhere', () => {
  const shown = page()
  for (const [tag] of shown.matchAll(/<(?:script|style)\b[^>]*>/gu)) expect(tag).toContain('nonce="n0nce"')
  expect(shown).not.toMatch(/\bon[a-z]+=|style="|<script[^>]+src=|url\(/u)
})

test.each([
  ['success', { status: 'Success' as const }],
  ['failed', { status: 'Failed' as const, failure_reason: 'declined' as const }],
])('after %s there is a way back, and neither code, cancel, refresh nor script', (_name, fields) => {
  const shown = page(fields)
  expect(shown).toContain(`href="https://shop.example/back?cart=7&amp;order_id=ORD-1001&amp;status=${fields.status}"`)
  expect(shown).not.toMatch(/class="qr"|Cancel payment|http-equiv="refresh"|<script/u)
})

test.each([
  ['waiting', { status: 'Pending' as const, payable: false }],
  ['closing', { closing: 'cancelled' as const }],
])('%s shows no code, so that nobody pays twice', (_name, fields) => {
  expect(page(fields)).not.toMatch(/class="qr"|upi:\/\//u)
})

test('without scripts the page looks again by itself, and can be cancelled', () => {
  expect(page()).toMatch(/<noscript>\s*<meta http-equiv="refresh" content="5" \/>\s*<\/noscript>/u)
  expect(page()).toMatch(/<form method="post" action="\/checkout\/T1-mac\/cancel">/u)
})

test('only the sandbox says that it is one', () => {
  expect(page()).toContain('no real money moves')
  expect(page({}, 'production')).not.toContain('no real money moves')
})

test('a message that looks again says when', () => {
  const context = { nonce: 'n', environment: 'production' as const, retryAfterSeconds: 7 }
  expect(messagePage({ title: 'Away', text: 'Soon', refresh: true }, context).markup).toContain(
    'http-equiv="refresh" content="7"',
  )
  expect(messagePage({ title: 'No', text: 'Never' }, context).markup).not.toContain('refresh')
})
