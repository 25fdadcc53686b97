import fc from 'fast-check'
import { applyAction, MAX_RESENDS, MAX_WRONG_OTPS, openPageOf, SANDBOX_OTP, type PageAction } from './decide.ts'
import type { BankPage, Payment } from './payment.ts'
import { planForInstrument } from './plan.ts'
import { claimDue, nextDueAt } from './callback.ts'

const noon = new Date('2026-01-01T12:00:00Z')
const end = new Date('2026-01-01T12:05:00Z')
const page: BankPage = {
  kind: 'issuer',
  token: 'token',
  return_url: 'https://pay.example/checkout/x',
  description: 'Blue shirt',
  expires_at: end,
  refuses_otp: false,
  wrong_otps: 0,
  resends: 0,
  notice: null,
}
const atPage = (fields: Partial<BankPage> = {}): Payment => ({
  reference: 'SIM1',
  tr: 'T1',
  method: 'credit_card',
  rrn: '123456789012',
  payer: null,
  instrument: 'Visa ending in 1111',
  start: null,
  page: { ...page, ...fields },
  reversal_behaviour: 'at_once',
  ...{ refunds: [], refund_behaviour: 'at_once', unclear: null },
  reversal: null,
  version: 1,
  created_at: noon,
  ...planForInstrument({ kind: 'page' }, noon, { amountPaise: 49_900, expiresAt: end }),
})
const otp = (digits: string): PageAction => ({ kind: 'otp', otp: digits })
const after = (payment: Payment, ...actions: PageAction[]): Payment =>
  actions.reduce((current, action) => applyAction(current, action, noon), payment)
const wrong = otp('000000')

test('the right one-time password pays, and no later decision is left', () => {
  const paid = after(atPage(), otp(SANDBOX_OTP))
  expect(paid).toMatchObject({ outcome: 'success', failure_reason: null, callbacks: [{ outcome: 'success' }] })
  expect(claimDue(paid, end).payment.outcome).toBe('success')
})

test('two wrong passwords leave a third try, and the third wrong one declines', () => {
  const twice = after(atPage(), wrong, wrong)
  expect(twice).toMatchObject({ outcome: 'pending', page: { wrong_otps: 2, notice: 'wrong_otp' } })
  expect(after(twice, otp(SANDBOX_OTP)).outcome).toBe('success')
  expect(after(twice, wrong)).toMatchObject({ outcome: 'failed', failure_reason: expect.stringContaining('three times') })
})

test('a card that refuses every one-time password refuses the right one too', () => {
  const three = [1, 2, 3].map(() => otp(SANDBOX_OTP))
  expect(after(atPage({ refuses_otp: true }), ...three).outcome).toBe('failed')
})

test('a new password can be requested three times, and does not extend the page', () => {
  const asked = after(atPage(), ...[1, 2, 3, 4].map((): PageAction => ({ kind: 'resend' })))
  expect(asked.page).toEqual({ ...page, resends: MAX_RESENDS, notice: 'resent' })
})

test('a cancelling shopper has a failure reason of its own', () => {
  for (const kind of ['issuer', 'bank'] as const)
    expect(after(atPage({ kind }), { kind: 'cancel' })).toMatchObject({ outcome: 'failed', failure_reason: 'cancelled' })
})

test.each<[BankPage['kind'], PageAction, string]>([
  ['bank', { kind: 'success' }, 'success'],
  ['bank', { kind: 'failure' }, 'failed'],
  ['bank', otp(SANDBOX_OTP), 'pending'],
  ['bank', { kind: 'resend' }, 'pending'],
  ['issuer', { kind: 'success' }, 'pending'],
  ['issuer', { kind: 'failure' }, 'pending'],
])('on the page of a %s, %j leaves the payment %s', (kind, action, outcome) => {
  expect(after(atPage({ kind }), action).outcome).toBe(outcome)
})

test('after its time the payment fails as expired by itself, and no action changes it', () => {
  const open = atPage()
  expect(nextDueAt(open)).toEqual(end)
  expect(openPageOf(open, new Date(end.getTime() - 1))).toBeDefined()
  expect(openPageOf(open, end)).toBeUndefined()
  expect(applyAction(open, otp(SANDBOX_OTP), end)).toBe(open)
  const over = claimDue(open, end)
  expect(over.payment).toMatchObject({ outcome: 'failed', failure_reason: 'expired' })
  expect(over.callbacks).toMatchObject([{ outcome: 'failed' }])
})

test('any sequence of actions decides at most once, and only the right password pays', () => {
  const action = fc.oneof(
    fc.constantFrom<PageAction['kind']>('resend', 'success', 'failure', 'cancel').map((kind) => ({ kind }) as PageAction),
    fc.constantFrom('123456', '000000', '654321').map(otp),
  )
  fc.assert(
    fc.property(fc.array(action, { maxLength: 12 }), (actions) => {
      let payment = atPage()
      for (const next of actions) {
        const decided = applyAction(payment, next, noon)
        if (payment.outcome !== 'pending') expect(decided).toBe(payment)
        if (payment.outcome === 'pending' && decided.outcome === 'success') expect(next).toEqual(otp(SANDBOX_OTP))
        payment = decided
      }
      expect(payment.page?.wrong_otps).toBeLessThanOrEqual(MAX_WRONG_OTPS)
      expect(payment.page?.resends).toBeLessThanOrEqual(MAX_RESENDS)
    }),
  )
})
