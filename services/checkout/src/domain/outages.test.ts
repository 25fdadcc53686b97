import type { Downtime, PaymentMethod } from '@gateway/contracts'
import { aView } from '../../test/transaction-view.ts'
import { NO_OUTAGES, outagesAt, outagesKey } from './outages.ts'
import { decideForm, pageKey, pageState } from './page-state.ts'

const noon = new Date('2026-01-01T12:00:00Z')
const down = (method: PaymentMethod, severity: Downtime['severity'], more: Partial<Downtime> = {}): Downtime => ({
  ...{ method, severity, began_at: '2026-01-01T11:00:00Z', ended_at: null, instrument: null },
  ...more,
})

// Proves: page/downtimes-hide-and-warn
test.each([
  ['UPI, high', [down('upi', 'high')], { hiddenMethods: ['upi'] }],
  ['UPI, medium', [down('upi', 'medium')], { slowMethods: ['upi'] }],
  ['UPI, low', [down('upi', 'low')], {}],
  ['one UPI handle', [down('upi', 'high', { instrument: 'okbank' })], { slowMethods: ['upi'] }],
  ['credit cards only', [down('credit_card', 'high')], { slowMethods: ['card'] }],
  ['both kinds of cards', [down('credit_card', 'high'), down('debit_card', 'high')], { hiddenMethods: ['card'] }],
  ['a card network', [down('credit_card', 'high', { instrument: 'visa' })], { slowMethods: ['card'] }],
  ['a bank, high', [down('netbanking', 'high', { instrument: 'HDFC' })], { hiddenBanks: ['HDFC'] }],
  ['a bank, medium', [down('netbanking', 'medium', { instrument: 'HDFC' })], { slowBanks: ['HDFC'] }],
  [
    'a bank, twice',
    [down('netbanking', 'medium', { instrument: 'HDFC' }), down('netbanking', 'high', { instrument: 'HDFC' })],
    { hiddenBanks: ['HDFC'] },
  ],
  ['all of net banking', [down('netbanking', 'high')], { hiddenMethods: ['netbanking'] }],
  ['one that has ended', [down('upi', 'high', { ended_at: '2026-01-01T12:00:00Z' })], {}],
  ['one that has not begun', [down('upi', 'high', { began_at: '2026-01-01T12:00:01Z' })], {}],
])('%s', (_what, downtimes, expected) => {
  expect(outagesAt(downtimes, noon)).toEqual({ ...NO_OUTAGES, ...expected })
})

const view = aView('T1', { expires_at: '2026-01-01T13:00:00Z' })

// Proves: page/downtimes-hide-and-warn
test('the page offers what works; when nothing does it says so instead of offering nothing', () => {
  const upiDown = { ...NO_OUTAGES, hiddenMethods: ['upi' as const] }
  expect(pageState(view, noon, upiDown)).toMatchObject({ kind: 'choose', methods: ['card', 'netbanking'] })
  const upiOnly = aView('T1', { methods: ['upi'], expires_at: view.expires_at })
  expect(pageState(upiOnly, noon, upiDown)).toEqual({ kind: 'all_down', hiddenMethods: ['upi'] })
})

test('the key changes with what matters to the order, and is as before without an outage', () => {
  const keyOf = (methods: typeof view.methods, outages = NO_OUTAGES) => pageKey(pageState({ ...view, methods }, noon, outages))
  const bankDown = { ...NO_OUTAGES, hiddenBanks: ['HDFC'] }
  expect(keyOf(['upi', 'card', 'netbanking'])).toBe('choose:0:none')
  expect(keyOf(['upi', 'card'], bankDown)).toBe('choose:0:none')
  expect(keyOf(['netbanking'], bankDown)).toBe(`choose:0:none|${outagesKey(bankDown)}`)
  expect(keyOf(['netbanking'], { ...NO_OUTAGES, slowBanks: ['HDFC'] })).not.toBe(keyOf(['netbanking'], bankDown))
})

// Proves: page/hidden-method-is-refused
test('a form of a hidden method starts nothing; an attempt that is open goes on', () => {
  const cardsDown = { ...NO_OUTAGES, hiddenMethods: ['card' as const] }
  const sent = { attemptId: 'A1', method: 'card' as const }
  expect(decideForm(view, sent, noon, ['A1'], cardsDown)).toEqual({ kind: 'page', notice: 'method_down' })
  expect(decideForm({ ...view, methods: ['card'] }, sent, noon, ['A1'], cardsDown)).toEqual({
    kind: 'page',
    notice: 'method_down',
  })
  expect(decideForm(view, sent, noon, ['A1'])).toMatchObject({ kind: 'start' })
  const attempt = { id: 'A1', method: 'credit_card', status: 'open' } as const
  const open = {
    ...attempt,
    failure_reason: null,
    failure_code: null,
    rrn: null,
    reference: null,
    started_at: '',
    ended_at: null,
  }
  expect(decideForm({ ...view, attempts: [open] }, sent, noon, ['A1'], cardsDown)).toMatchObject({ kind: 'resume' })
})
