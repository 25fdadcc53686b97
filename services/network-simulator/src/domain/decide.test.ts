import { decideReversal, settle, SLOW_REVERSAL_MS } from './decide.ts'
import type { Payment } from './payment.ts'
import { callbackOf } from './plan.ts'

const noon = new Date('2026-01-01T12:00:00Z')
const captured: Payment = {
  reference: 'SIM1',
  tr: 'T1',
  method: 'upi',
  amount_paise: 49_900,
  outcome: 'success',
  failure_reason: null,
  rrn: '123456789012',
  payer: null,
  instrument: null,
  start: null,
  page: null,
  reversal_behaviour: 'at_once',
  ...{ refunds: [], refund_behaviour: 'at_once', unclear: null },
  reversal: null,
  callbacks: [],
  version: 1,
  created_at: noon,
}
const ask = { amountPaise: 49_900, reason: 'late', rrn: '998877665544' } as const
const answered = (status: string, reason: string | null) => ({ response: { reference: 'SIM1', status, reason } })

test('a capture is reversed once, and a repeated request gets the same answer', () => {
  const first = decideReversal(captured, ask, noon)
  expect(first).toMatchObject(answered('succeeded', null))
  expect(first).toMatchObject({ response: { rrn: ask.rrn } })

  const another = { ...ask, rrn: '111111111111' }
  const again = decideReversal({ ...captured, reversal: first.reversal }, another, new Date('2026-01-02'))
  expect(again).toEqual(first)
})

test.each([
  ['a pending payment', { ...captured, outcome: 'pending' }, ask, 'not_captured'],
  ['a failed payment', { ...captured, outcome: 'failed' }, ask, 'not_captured'],
  ['another amount', captured, { ...ask, amountPaise: 49_899 }, 'amount_differs'],
  ['a bank that refuses', { ...captured, reversal_behaviour: 'refused' }, ask, 'refused_by_bank'],
] as const)('%s is not reversed', (_name, payment, request, reason) => {
  expect(decideReversal(payment, request, noon)).toMatchObject({ ...answered('failed', reason), reversal: null })
})

test('another body for a completed reversal is a conflict', () => {
  const first = decideReversal(captured, ask, noon)
  const reversed = { ...captured, reversal: first.reversal }
  for (const other of [{ amountPaise: 1 }, { reason: 'duplicate' } as const])
    expect(() => decideReversal(reversed, { ...ask, ...other }, noon)).toThrow('requested with another body')
})

test('a slow reversal is pending, and has succeeded when it is requested later', () => {
  const slow = { ...captured, reversal_behaviour: 'takes_a_while' } as const
  const first = decideReversal(slow, ask, noon)
  expect(first).toMatchObject(answered('pending', null))
  expect(first).not.toHaveProperty('response.rrn')
  const later = new Date(noon.getTime() + SLOW_REVERSAL_MS)
  expect(decideReversal({ ...slow, reversal: first.reversal }, ask, later)).toMatchObject(answered('succeeded', null))
})

test('a decision replaces the planned later one, and is reported immediately', () => {
  const slow = [callbackOf('pending', noon), { ...callbackOf('success', new Date(noon.getTime() + 3000)), settles: true }]
  const decided = settle({ ...captured, outcome: 'pending', callbacks: slow }, 'failed', noon, 'declined by the tester')
  expect(decided).toMatchObject({ outcome: 'failed', failure_reason: 'declined by the tester' })
  expect(decided.callbacks.map(({ outcome }) => outcome)).toEqual(['pending', 'failed'])
})
