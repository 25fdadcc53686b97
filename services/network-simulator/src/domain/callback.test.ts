import { CLAIM_MS, claimDue, nextDueAt, recordMissing, recordResults, retryDelayMs, type SendResult } from './callback.ts'
import type { Payment, ScheduledCallback } from './payment.ts'
import { callbackOf } from './plan.ts'

const noon = new Date('2026-01-01T12:00:00Z')
const after = (ms: number): Date => new Date(noon.getTime() + ms)
const withCallbacks = (...callbacks: ScheduledCallback[]): Payment => ({
  reference: 'SIM1',
  tr: 'T1',
  method: 'upi',
  amount_paise: 100,
  outcome: 'pending',
  failure_reason: null,
  rrn: '123456789012',
  payer: null,
  instrument: null,
  start: null,
  page: null,
  reversal_behaviour: 'at_once',
  ...{ refunds: [], refund_behaviour: 'at_once', unclear: null },
  reversal: null,
  callbacks,
  version: 1,
  created_at: noon,
})

test('a claim is a lease: no replica sends the callback again before it expires, and then any replica does', () => {
  const claim = claimDue(withCallbacks(callbackOf('success', noon)), noon)
  expect(claim.callbacks).toHaveLength(1)
  expect(claimDue(claim.payment, after(CLAIM_MS - 1)).callbacks).toEqual([])
  expect(claimDue(claim.payment, after(CLAIM_MS)).callbacks).toHaveLength(1)
})

test('a settling callback changes its payment when it is claimed, before it is sent', () => {
  const settling = { ...callbackOf('success', after(3000)), settles: true }
  const payment = withCallbacks(callbackOf('pending', noon), settling)
  expect(claimDue(payment, noon).payment.outcome).toBe('pending')
  expect(claimDue(payment, after(3000)).payment.outcome).toBe('success')
})

test('a callback that waits for the order neither settles nor is sent before the order is final', () => {
  const late = { ...callbackOf('success', noon), settles: true, waits_for_final: true }
  const claimed = claimDue(withCallbacks(late), noon)
  expect(claimed.payment.outcome).toBe('pending')

  const waiting = recordResults(claimed.payment, new Map([['success', 'order_not_final_yet']]), noon)
  expect(waiting.callbacks[0]).toMatchObject({ waits_for_final: true, state: 'scheduled' })
  expect(nextDueAt(waiting)?.getTime()).toBeGreaterThan(noon.getTime())

  const final = recordResults(claimed.payment, new Map([['success', 'order_is_final']]), noon)
  expect(claimDue(final, noon).payment.outcome).toBe('success')
})

test('a callback that follows another is due only when the other is acknowledged or given up', () => {
  const payment = withCallbacks(callbackOf('success', noon), { ...callbackOf('pending', noon), after: 'success' })
  const first = claimDue(payment, noon)
  expect(first.callbacks.map(({ id }) => id)).toEqual(['success'])

  const refused = recordResults(first.payment, new Map([['success', 'not_acknowledged']]), noon)
  expect(claimDue(refused, after(retryDelayMs(1))).callbacks.map(({ id }) => id)).toEqual(['success'])
  const acknowledged = recordResults(first.payment, new Map([['success', 'acknowledged']]), noon)
  expect(claimDue(acknowledged, noon).callbacks.map(({ id }) => id)).toEqual(['pending'])
})

test('twenty tries with growing pauses, then the callback is given up and none is due', () => {
  let payment = withCallbacks(callbackOf('success', noon))
  const delays: number[] = []
  for (let now = noon, due = nextDueAt(payment); due !== null; due = nextDueAt(payment)) {
    delays.push(due.getTime() - now.getTime())
    now = due
    payment = recordResults(claimDue(payment, now).payment, new Map([['success', 'not_acknowledged']]), now)
  }
  expect(delays).toHaveLength(20)
  expect(delays.slice(0, 5)).toEqual([0, 200, 400, 800, 1600])
  expect(Math.max(...delays)).toBe(60_000)
  expect(payment.callbacks[0]?.state).toBe('given_up')
})

test.each<SendResult>(['acknowledged', 'not_acknowledged', 'order_not_final_yet', 'order_is_final'])(
  'a result (%s) that is already recorded has no second effect',
  (result) => {
    const late = { ...callbackOf('success', noon), waits_for_final: result.startsWith('order') }
    const { payment, callbacks } = claimDue(withCallbacks(late), noon)
    const results = new Map([['success', result]])
    const recorded = recordMissing(payment, callbacks, results, noon)
    expect(recorded).toEqual(recordResults(payment, results, noon))
    expect(recordMissing(recorded, callbacks, results, after(1000))).toBe(recorded)
  },
)

test('an acknowledgement counts although another try was recorded as failed meanwhile', () => {
  const { payment, callbacks } = claimDue(withCallbacks(callbackOf('success', noon)), noon)
  const triedAgain = recordResults(payment, new Map([['success', 'not_acknowledged']]), after(CLAIM_MS))
  const [callback] = recordMissing(triedAgain, callbacks, new Map([['success', 'acknowledged']]), after(CLAIM_MS)).callbacks
  expect(callback?.state).toBe('acknowledged')
})
