import { applyEnquiry, cancel, expire, type EnquiryAnswer } from './closing.ts'
import { applyReport } from './reports.ts'
import { nextDueAt } from './schedule.ts'
import type { Transaction } from './transaction.ts'
import { at, opened, report, timing } from './test-data.ts'

const known = (...payments: Parameters<typeof report>[0][]): EnquiryAnswer => ({ kind: 'known', payments: payments.map(report) })
const unclear: EnquiryAnswer = { kind: 'unclear' }
const ask = (transaction: Transaction, answer: EnquiryAnswer, seconds: number) =>
  applyEnquiry(transaction, answer, at(seconds), timing)
const expired = (data?: Parameters<typeof opened>[0]): Transaction => expire(opened(data), at(1200)).transaction

test('before its time an order does not expire', () => {
  const order = opened()
  expect(expire(order, at(1199)).transaction).toBe(order)
  expect(nextDueAt(order)).toEqual(at(1200))
})

test('expiry keeps the status and asks the network at once', () => {
  expect(expired()).toMatchObject({ status: 'Initiate', sequence: 1, version: 2, closing: { reason: 'expired', at: at(1200) } })
  expect(nextDueAt(expired())).toEqual(at(1200))
})

test('"not found" counts only after the grace', () => {
  const early = ask(expired(), known(), 1200)
  expect(early.transaction).toMatchObject({ status: 'Initiate', enquiry: { asked: 1, dueAt: at(1210) } })
  expect(ask(early.transaction, known(), 1289).transaction).toMatchObject({ status: 'Initiate', enquiry: { dueAt: at(1290) } })
  const end = ask(early.transaction, known(), 1290)
  expect(end.transaction).toMatchObject({ status: 'Failed', failureReason: 'expired', sequence: 2 })
  expect(end.events).toHaveLength(1)
})

test('"failed" counts at once, and the reason is the end of the order', () => {
  expect(ask(expired(), known({ outcome: 'failed' }), 1200).transaction).toMatchObject({
    status: 'Failed',
    failureReason: 'expired',
  })
  const cancelled = cancel(opened(), at(10)).transaction
  expect(ask(cancelled, known({ outcome: 'failed' }), 11).transaction).toMatchObject({
    status: 'Failed',
    failureReason: 'cancelled',
  })
})

test('"failed" for one payment does not end another attempt that the network may not have heard of yet', () => {
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
    failureReason: 'cancelled',
  })
})

test('money that an enquiry finds is a success, with callbacks or without', () => {
  expect(ask(expired(), known({ rrn: '7' }), 1200).transaction).toMatchObject({ status: 'Success', rrn: '7' })
})

test.each([
  ['pending', known({ outcome: 'pending' })],
  ['unclear', unclear],
])('%s keeps the status until the giving up', (_name, answer) => {
  const asked = ask(expired(), answer, 5000).transaction
  expect(['Initiate', 'Pending']).toContain(asked.status)
  expect(asked.enquiry?.dueAt).toEqual(at(5010))
  const end = ask(asked, answer, 1200 + 86_400)
  expect(end.transaction).toMatchObject({ status: 'Failed', failureReason: 'unconfirmed' })
  expect(end.alerts).toContain('unconfirmed')
})

test('an enquiry that finds two captures keeps one and sends the other back', () => {
  const { transaction } = ask(expired(), known({}, { reference: 'R2' }), 1200)
  expect(transaction).toMatchObject({ status: 'Success', reversals: [{ reference: 'R2', reason: 'duplicate' }] })
})

test('a pending transaction is asked about, and not again once all its attempts have ended', () => {
  const pending = applyReport(opened({ max_attempts: 2 }), report({ outcome: 'pending' }), at(1), timing).transaction
  expect(ask(pending, known({ outcome: 'pending' }), 11).transaction.enquiry).toEqual({ dueAt: at(21), asked: 1, round: 0 })
  expect(ask(pending, unclear, 11).transaction.enquiry).toEqual({ dueAt: at(21), asked: 1, round: 0 })
  expect(ask(pending, known({ outcome: 'failed' }), 11).transaction).toMatchObject({ status: 'Pending', enquiry: null })
})

test('after a final status the network is asked twice more, and late money goes back', () => {
  const failed = ask(expired(), known(), 1300).transaction
  expect(nextDueAt(failed)).toEqual(at(1300 + 900))
  const first = ask(failed, known(), 2200).transaction
  expect(nextDueAt(first)).toEqual(at(1300 + 86_400))
  const second = ask(first, known({}), 87_700).transaction
  expect(second).toMatchObject({ status: 'Failed', enquiry: null, reversals: [{ reason: 'late' }] })
})

test('an unclear answer after the end is asked again, and given up with an alert', () => {
  const failed = ask(expired(), known(), 1300).transaction
  const again = ask(failed, unclear, 2200).transaction
  expect(again.enquiry).toEqual({ dueAt: at(2210), asked: 1, round: 0 })
  const givenUp = ask(again, unclear, 2200 + 86_400)
  expect(givenUp.transaction.enquiry?.round).toBe(1)
  expect(givenUp.alerts).toEqual(['final_enquiry_unanswered'])
})

test('cancel and expiry do nothing to what has ended or is ending', () => {
  const closing = cancel(opened(), at(1)).transaction
  expect(cancel(closing, at(2)).transaction).toBe(closing)
  expect(expire(closing, at(1300)).transaction).toBe(closing)
  const paid = applyReport(opened(), report(), at(1), timing).transaction
  expect(cancel(paid, at(2)).transaction).toBe(paid)
  expect(expire(paid, at(1300)).transaction).toBe(paid)
})
