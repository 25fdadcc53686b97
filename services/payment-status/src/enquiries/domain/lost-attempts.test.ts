/** An attempt whose start never reached the network. */
import { abandonAttempt, applyReport, cancel, expire, nextDueAt, startAttempt, type Transaction } from '../../payments/index.ts'
import { at, opened, report, timing } from '../../../test/data.ts'
import { ask, askToTheEnd, known, unclear } from '../../../test/enquiries.ts'

const tried = (data: Parameters<typeof opened>[0] = {}): Transaction => started(opened(data), 'attempt-1', 1)
function started(transaction: Transaction, id: string, seconds: number): Transaction {
  const decision = startAttempt(transaction, { id, method: 'credit_card' }, at(seconds), timing)
  if (typeof decision === 'string') throw new Error(decision)
  return decision.transaction
}

test.each([1, 3])('of %i: "not found" ends nothing before the order ends: the start may still be on its way', (max) => {
  let order = tried({ max_attempts: max })
  for (const seconds of [11, 71, 600, 1199]) order = ask(order, known(), seconds).transaction
  expect(order).toMatchObject({ status: 'Pending', attempts: [{ status: 'open' }], closing: null })
  expect(nextDueAt(order)).not.toBeNull()
  // The shopper can wait, cancel or, with attempts left, try another way.
  expect(startAttempt(order, { id: 'attempt-2', method: 'credit_card' }, at(1199), timing)).toBe('another_is_open')
})

test.each([1, 3])('of %i: the order expires at its end, and the attempt fails as network_error', (max) => {
  const closing = expire(tried({ max_attempts: max }), at(1200)).transaction
  expect(ask(closing, known(), 1289).transaction).toMatchObject({ status: 'Pending', attempts: [{ status: 'open' }] })
  expect(ask(closing, known(), 1290).transaction).toMatchObject({
    status: 'Failed',
    failure_reason: 'expired',
    attempts: [{ status: 'failed', failure_reason: 'network_error' }],
  })
})

test('cancelled by the shopper: the attempt fails as network_error too', () => {
  expect(ask(cancel(tried(), at(20)).transaction, known(), 110).transaction).toMatchObject({
    status: 'Failed',
    failure_reason: 'cancelled',
    attempts: [{ status: 'failed', failure_reason: 'network_error' }],
  })
})

test('another way: the lost attempt counts, and a decline of the other does not end the order early', () => {
  const order = tried({ max_attempts: 2 })
  const abandoned = abandonAttempt(order, 'attempt-1', at(30))
  if (typeof abandoned === 'string') throw new Error(abandoned)
  const second = started(abandoned.transaction, 'attempt-2', 31)
  const declined = applyReport(second, report({ attempt_id: 'attempt-2', outcome: 'failed' }), at(40), timing).transaction
  expect(declined).toMatchObject({ status: 'Pending', attempts: [{ status: 'abandoned' }, { status: 'failed' }] })
  expect(startAttempt(declined, { id: 'attempt-3', method: 'credit_card' }, at(41), timing)).toBe('no_attempts_left')
  const closing = expire(declined, at(1200)).transaction
  expect(ask(closing, known({ attempt_id: 'attempt-2', outcome: 'failed' }), 1290).transaction).toMatchObject({
    status: 'Failed',
    failure_reason: 'expired',
    attempts: [{ failure_reason: 'network_error' }, { failure_reason: 'declined' }],
  })
})

test('an attempt that the network knew fails with the order’s reason, and with unconfirmed after giving up', () => {
  const pending = applyReport(tried(), report({ attempt_id: 'attempt-1', outcome: 'pending' }), at(2), timing).transaction
  const closing = expire(pending, at(1200)).transaction
  expect(ask(closing, known(), 1290).transaction.attempts).toMatchObject([{ failure_reason: 'expired' }])
  const unanswered = askToTheEnd(expire(tried(), at(1200)).transaction, unclear, 1200 + 86_400)
  expect(unanswered.transaction).toMatchObject({ failure_reason: 'unconfirmed', attempts: [{ failure_reason: 'unconfirmed' }] })
})

test('its money is accepted before the order’s end, and reversed after it', () => {
  const late = report({ attempt_id: 'attempt-1', method: 'credit_card' })
  expect(ask(ask(tried(), known(), 11).transaction, known(late), 71).transaction.status).toBe('Success')
  const failed = ask(expire(tried(), at(1200)).transaction, known(), 1290).transaction
  expect(applyReport(failed, late, at(1300), timing).transaction).toMatchObject({
    status: 'Failed',
    reversals: [{ reason: 'late', status: 'pending' }],
    attempts: [{ id: 'attempt-1', status: 'reversed' }],
  })
})
