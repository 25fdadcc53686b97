import { applyEnquiry, type EnquiryAnswer } from './enquiry-answer.ts'
import { applyReport, cancel, expire, nextDueAt, type Transaction } from '../../payments/index.ts'
import { at, opened, report, timing } from '../../../test/data.ts'
import { ask, askAtEach, askToTheEnd, known, unclear } from '../../../test/enquiries.ts'

const expired = (data?: Parameters<typeof opened>[0]): Transaction => expire(opened(data), at(1200)).transaction

// Proves: state/expiry-cancel-stop-new-attempts
test('an order does not expire early', () => {
  const order = opened()
  expect(expire(order, at(1199)).transaction).toBe(order)
  expect(nextDueAt(order)).toEqual(at(1200))
})

// Proves: state/enquiry-after-the-end
test('expiry keeps the status and asks the network at once', () => {
  expect(expired()).toMatchObject({ status: 'Initiate', sequence: 1, version: 2, closing: { reason: 'expired', at: at(1200) } })
  expect(nextDueAt(expired())).toEqual(at(1200))
})

// Proves: state/not-found-permits-failed-after-grace
test('"not found" counts only after the grace', () => {
  const early = ask(expired(), known(), 1200)
  expect(early.transaction).toMatchObject({ status: 'Initiate', enquiry: { requests: 1, due_at: at(1210) } })
  expect(ask(early.transaction, known(), 1289).transaction).toMatchObject({ status: 'Initiate', enquiry: { due_at: at(1290) } })
  const end = ask(early.transaction, known(), 1290)
  expect(end.transaction).toMatchObject({ status: 'Failed', failure_reason: 'expired', sequence: 2 })
  expect(end.events).toHaveLength(1)
})

// Proves: state/only-failed-answer-permits-failed-at-once
test('"failed" counts at once, and the failure reason is what ended the order', () => {
  expect(ask(expired(), known({ outcome: 'failed' }), 1200).transaction).toMatchObject({
    status: 'Failed',
    failure_reason: 'expired',
  })
  const cancelled = cancel(opened(), at(10)).transaction
  expect(ask(cancelled, known({ outcome: 'failed' }), 11).transaction).toMatchObject({
    status: 'Failed',
    failure_reason: 'cancelled',
  })
})

// Proves: state/only-failed-answer-permits-failed-at-once
test('"failed" for one payment does not end another attempt, whose start may still be on its way', () => {
  const pending = applyReport(
    opened({ max_attempts: 2 }),
    report({ reference: 'R9', outcome: 'pending' }),
    at(1),
    timing,
  ).transaction
  const closing = cancel(pending, at(10)).transaction
  expect(ask(closing, known({ outcome: 'failed' }), 11).transaction.status).toBe('Pending')
  expect(ask(closing, known({ outcome: 'failed' }), 100).transaction).toMatchObject({
    status: 'Failed',
    failure_reason: 'cancelled',
  })
})

// Proves: connector/old-failed-proves-nothing
test.each([
  ['failed', known({ outcome: 'failed' })],
  ['not found', known()],
])('"%s" proves nothing when the network was asked before the end of the grace', (_name, answer) => {
  const asOf = (second: number): EnquiryAnswer => Object.assign({ asOf: at(second) }, answer)
  const old = ask(expired(), asOf(1289), 1400).transaction
  expect(old.status).not.toBe('Failed')
  expect(old.enquiry?.due_at).toEqual(at(1410))
  expect(ask(old, asOf(1290), 1410).transaction).toMatchObject({ status: 'Failed', failure_reason: 'expired' })
  // Too early by our own clock, however late the network says it is.
  expect(ask(expired(), asOf(9999), 1289).transaction.status).toBe('Initiate')
})

// Proves: connector/a-cut-list-is-never-clear
test('a list that is cut never lets an order fail, and is asked for again; money in it counts', () => {
  const cut = (...payments: Parameters<typeof known>): EnquiryAnswer => Object.assign(known(...payments), { isCut: true })
  const declined = ask(expired(), cut({ outcome: 'failed' }), 1400).transaction
  expect(declined).toMatchObject({ closing: { reason: 'expired' }, enquiry: { due_at: at(1410) } })
  expect(declined.answers).toEqual([{ at: at(1400), payments: 1, why: 'the list is cut' }])
  expect(ask(declined, cut({ outcome: 'failed' }, { reference: 'R2' }), 1410).transaction.status).toBe('Success')
})

// Proves: connector/a-cut-list-is-never-clear
test('after a final status, a list that is cut is asked for again until the giving up, which alerts', () => {
  const failed = applyReport(opened(), report({ outcome: 'failed' }), at(0), timing).transaction
  const cut: EnquiryAnswer = { kind: 'known', payments: [report({ outcome: 'failed' })], isCut: true }
  const asked = ask(failed, cut, 900)
  expect(asked.transaction.enquiry).toMatchObject({ round: 0, requests: 1, due_at: at(910) })
  expect(asked.alerts).toEqual([])
  expect(askToTheEnd(asked.transaction, cut, 90_000).alerts).toEqual(['final_enquiry_unanswered'])
  const whole = ask(asked.transaction, { ...cut, isCut: false }, 910).transaction
  expect(whole.enquiry).toMatchObject({ round: 1 })
})

test('an old answer that names money counts', () => {
  expect(ask(expired(), Object.assign({ asOf: at(1) }, known({})), 1400).transaction.status).toBe('Success')
})

test('money that an enquiry finds is a success, with or without callbacks', () => {
  expect(ask(expired(), known({ rrn: '7' }), 1200).transaction).toMatchObject({ status: 'Success', rrn: '7' })
})

// Proves: state/unclear-answer-keeps-status
test.each([
  ['pending', known({ outcome: 'pending' })],
  ['unclear', unclear],
])('%s keeps the status until the giving up', (_name, answer) => {
  const asked = ask(expired(), answer, 5000).transaction
  expect(['Initiate', 'Pending']).toContain(asked.status)
  expect(asked.enquiry?.due_at).toEqual(at(5010))
  const end = askToTheEnd(asked, answer, 1200 + 86_400)
  expect(end.transaction).toMatchObject({ status: 'Failed', failure_reason: 'unconfirmed' })
  expect(end.alerts).toContain('unconfirmed')
})

// Proves: state/give-up-is-unconfirmed
test.each([
  ['the network had not been asked', expired()],
  ['the network had been asked often', askAtEach(expired(), unclear, 1200, 1210, 1270, 1330)],
])('who was away for longer than the giving up asks at every pause once, before it gives up: %s before', (_name, before) => {
  const late = 1200 + 3 * 86_400
  const asked = askAtEach(before, unclear, late, late + 10)
  expect(asked).toMatchObject({ status: 'Initiate', enquiry: { due_at: at(late + 70), requests: 2 } })
  expect(ask(asked, known({}), late + 70).transaction.status).toBe('Success')
  expect(ask(asked, unclear, late + 70).transaction).toMatchObject({ status: 'Failed', failure_reason: 'unconfirmed' })
})

test('so it is with the enquiries after the end', () => {
  const late = 1200 + 3 * 86_400
  const failed = ask(expired(), known(), 1300).transaction
  const asked = askAtEach(failed, unclear, 2200, 2210, 2270, late, late + 10)
  expect(asked.enquiry).toMatchObject({ round: 0, requests: 2 })
  expect(ask(asked, unclear, late + 70).alerts).toEqual(['final_enquiry_unanswered'])
})

test('an enquiry that finds two captures accepts one and reverses the other', () => {
  const { transaction } = ask(expired(), known({}, { reference: 'R2' }), 1200)
  expect(transaction).toMatchObject({ status: 'Success', reversals: [{ reference: 'R2', reason: 'duplicate' }] })
})

test('enquiries about a pending transaction stop when all its attempts have ended', () => {
  const pending = applyReport(opened({ max_attempts: 2 }), report({ outcome: 'pending' }), at(1), timing).transaction
  expect(ask(pending, known({ outcome: 'pending' }), 11).transaction.enquiry).toEqual({ due_at: at(21), requests: 1, round: 0 })
  expect(ask(pending, unclear, 11).transaction.enquiry).toEqual({ due_at: at(21), requests: 1, round: 0 })
  expect(ask(pending, known({ outcome: 'failed' }), 11).transaction).toMatchObject({ status: 'Pending', enquiry: null })
})

// Proves: state/enquiry-repeats-after-final-status
test('after a final status the network is asked twice more, and late money is reversed', () => {
  const failed = ask(expired(), known(), 1300).transaction
  expect(nextDueAt(failed)).toEqual(at(1300 + 900))
  const first = ask(failed, known(), 2200).transaction
  expect(nextDueAt(first)).toEqual(at(1300 + 86_400))
  const second = ask(first, known({}), 87_700).transaction
  expect(second).toMatchObject({ status: 'Failed', enquiry: null, reversals: [{ reason: 'late' }] })
})

test('an unclear answer after the end is asked again, and giving up raises an alert', () => {
  const failed = ask(expired(), known(), 1300).transaction
  const again = ask(failed, unclear, 2200).transaction
  expect(again.enquiry).toEqual({ due_at: at(2210), requests: 1, round: 0 })
  const givenUp = askToTheEnd(again, unclear, 2200 + 86_400)
  expect(givenUp.transaction.enquiry?.round).toBe(1)
  expect(givenUp.alerts).toEqual(['final_enquiry_unanswered'])
})

// Proves: state/enquiry-repeats-after-final-status
test.each([
  ['a clear answer', known()],
  ['an unclear answer', unclear],
])('%s to an enquiry from before the end changes no enquiry after the end', (_name, answer) => {
  const asked = expired()
  const failed = ask(asked, known(), 1300).transaction
  const first = ask(failed, known(), 2200).transaction
  for (const [before, second] of [[failed, 1305] as const, [failed, 2300] as const, [first, 2205] as const])
    expect(applyEnquiry(before, answer, at(second), timing, asked.enquiry).transaction.enquiry).toEqual(before.enquiry)
  const paid = applyEnquiry(first, known({}), at(2205), timing, asked.enquiry).transaction
  expect(paid).toMatchObject({ enquiry: first.enquiry, reversals: [{ reason: 'late' }] })
})

test('cancel and expiry change nothing in an order that has ended or is closing', () => {
  const closing = cancel(opened(), at(1)).transaction
  expect(cancel(closing, at(2)).transaction).toBe(closing)
  expect(expire(closing, at(1300)).transaction).toBe(closing)
  const paid = applyReport(opened(), report(), at(1), timing).transaction
  expect(cancel(paid, at(2)).transaction).toBe(paid)
  expect(expire(paid, at(1300)).transaction).toBe(paid)
})

describe('a network that answers twice', () => {
  test('the second of two equal answers changes nothing', () => {
    const first = ask(expired(), known({}), 1200).transaction
    const second = applyReport(first, report(), at(1201), timing)
    expect(second.transaction).toBe(first)
  })

  test('a success and then a failure for the same payment, in one answer or in two: Success, and an alert', () => {
    const together = ask(expired(), known({}, { outcome: 'failed' }), 1200)
    const apart = ask(ask(expired(), known({}), 1200).transaction, known({ outcome: 'failed' }), 2200)
    for (const decision of [together, apart]) {
      expect(decision.transaction).toMatchObject({ status: 'Success', reversals: [] })
      expect(decision.alerts).toContain('contradictory_report')
    }
  })

  test('a failure and then a success in one answer: the money is accepted', () => {
    expect(ask(expired(), known({ outcome: 'failed' }, {}), 1200).transaction).toMatchObject({ status: 'Success', reversals: [] })
  })
})
