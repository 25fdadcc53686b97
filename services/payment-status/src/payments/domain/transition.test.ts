import { TRANSACTION_STATUSES } from '@gateway/contracts'
import { at, opened, orderCreatedEvent, T1 } from '../../../test/data.ts'
import { amend, moveTo, openTransaction, unchanged } from './transition.ts'
import { ATTEMPT_MOVES, moved, PAYMENT_MOVES, REFUND_MOVES, REVERSAL_MOVES, stateOf } from './states.ts'

const ALLOWED = new Set(['Initiate>Pending', 'Initiate>Success', 'Initiate>Failed', 'Pending>Success', 'Pending>Failed'])
const PAIRS = TRANSACTION_STATUSES.flatMap((from) => TRANSACTION_STATUSES.map((to) => [from, to] as const))
const closing = { reason: 'cancelled', at: at(0) } as const

// Proves: state/allowed-transitions
test('there are sixteen pairs, and five are allowed, also while the order is closing', () => {
  expect(PAIRS).toHaveLength(16)
  for (const [from, to] of PAIRS) {
    for (const before of [
      { ...opened(), status: from },
      { ...opened(), status: from, closing },
    ]) {
      const move = () => moveTo(unchanged(before), to, at(1))
      if (ALLOWED.has(`${from}>${to}`)) expect(move().transaction.status).toBe(to)
      else expect(move).toThrow('nothing can move')
    }
  }
})

// Proves: state/allowed-transitions
test('an order closes once, before its payment has ended, and never opens again', () => {
  expect(stateOf(amend(unchanged(opened()), at(1), { closing }).transaction)).toBe('Initiate, closing')
  expect(() => amend(unchanged({ ...opened(), closing }), at(1), { closing: null })).toThrow('Initiate, closing to Initiate')
})

// Proves: state/allowed-transitions
test('no table moves a state that has ended', () => {
  expect([ATTEMPT_MOVES.succeeded, ATTEMPT_MOVES.reversed, REFUND_MOVES.failed, REFUND_MOVES.returned]).toEqual([{}, {}, {}, {}])
  expect([REVERSAL_MOVES.succeeded, REVERSAL_MOVES.failed, PAYMENT_MOVES.Success, PAYMENT_MOVES.Failed]).toEqual([{}, {}, {}, {}])
  expect(() => moved(REFUND_MOVES, 'pending', 'returned')).toThrow('nothing can move from pending to returned')
})

// Proves: spec/initiate-before-first-attempt
test('a new order is a transaction in Initiate, and its event is the first', () => {
  const { transaction, events } = openTransaction(orderCreatedEvent({ udf1: 'cart-7' }))
  expect(transaction).toMatchObject({ id: T1, status: 'Initiate', sequence: 1, version: 1, attempts: [], final_at: null })
  expect(events).toEqual([
    {
      id: `${T1}.1`,
      type: 'transaction.status-changed',
      version: 1,
      occurred_at: '2026-01-01T12:00:00.000Z',
      correlation_id: 'corr-1',
      data: expect.objectContaining({
        status: 'Initiate',
        sequence: 1,
        amount_paise: 49900,
        udf1: 'cart-7',
        rrn: null,
        payer: null,
      }),
    },
  ])
})
