import { TRANSACTION_STATUSES } from '@gateway/contracts'
import { at, opened, orderCreatedEvent } from '../../test/data.ts'
import { openTransaction } from './opening.ts'
import { canMove, moveTo, unchanged } from './transition.ts'

const ALLOWED = new Set(['Initiate>Pending', 'Initiate>Success', 'Initiate>Failed', 'Pending>Success', 'Pending>Failed'])
const PAIRS = TRANSACTION_STATUSES.flatMap((from) => TRANSACTION_STATUSES.map((to) => [from, to] as const))

// Proves: state/allowed-transitions
test.each(PAIRS)('%s → %s', (from, to) => {
  const allowed = ALLOWED.has(`${from}>${to}`)
  expect(canMove(from, to)).toBe(allowed)
  const move = () => moveTo(unchanged({ ...opened(), status: from }), to, at(1))
  if (allowed) expect(move().transaction.status).toBe(to)
  else expect(move).toThrow(`cannot move from ${from} to ${to}`)
})

// Proves: state/allowed-transitions
test('there are sixteen pairs, and five are allowed', () => {
  expect(PAIRS).toHaveLength(16)
  expect(PAIRS.filter(([from, to]) => canMove(from, to))).toHaveLength(5)
})

// Proves: spec/initiate-before-first-attempt
test('a new order is a transaction in Initiate, and its event is the first', () => {
  const { transaction, events } = openTransaction(orderCreatedEvent({ udf1: 'cart-7' }))
  expect(transaction).toMatchObject({ id: 'T1', status: 'Initiate', sequence: 1, version: 1, attempts: [], finalAt: null })
  expect(events).toEqual([
    {
      id: 'T1.1',
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
