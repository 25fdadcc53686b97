import { applyEnquiry, type EnquiryAnswer } from './enquiry-answer.ts'
import { applyReport, cancel, type Decision, expire, nextDueAt, startAttempt, type Transaction } from '../../payments/index.ts'
import { at, noon, opened, report, timing as others } from '../../../test/data.ts'
import { known, unclear } from '../../../test/enquiries.ts'

const timing = { ...others, upiEnquiryDelaysMs: [90_000, 600_000] }
const secondsOf = (date: Date | null | undefined): number | undefined => date ? (date.getTime() - noon.getTime()) / 1000 : undefined // prettier-ignore

/** Asks whenever an enquiry is due, with the same answer; resolves to the seconds at which the network was asked. */
function askUntilFinal(before: Transaction, answer: EnquiryAnswer): { seconds: number[]; end: Transaction } {
  const seconds: number[] = []
  let transaction = before
  for (let step = 0; step < 30 && transaction.status !== 'Failed' && transaction.status !== 'Success'; step++) {
    const dueAt = nextDueAt(transaction)
    if (!dueAt) break
    transaction = expire(transaction, dueAt, timing).transaction
    if (!transaction.enquiry || transaction.enquiry.due_at > dueAt) continue
    seconds.push(secondsOf(dueAt) ?? NaN)
    transaction = applyEnquiry(transaction, answer, dueAt, timing).transaction
  }
  return { seconds, end: transaction }
}

function started(method: 'upi' | 'credit_card'): Transaction {
  const decision = startAttempt(opened(), { id: 'ATTEMPT1', method }, at(0), timing)
  if (typeof decision === 'string') throw new Error(decision)
  return decision.transaction
}

// Proves: state/upi-enquiries-90-s-three-at-most
test('an order that nobody paid is asked about once, 90 s after its end, and then fails', () => {
  const { seconds, end } = askUntilFinal(opened(), known())
  expect(seconds).toEqual([1200 + 90])
  expect(end).toMatchObject({ status: 'Failed', failure_reason: 'expired' })
})

// Proves: state/upi-enquiries-90-s-three-at-most
test('so it is with one that was cancelled', () => {
  expect(askUntilFinal(cancel(opened(), at(60), timing).transaction, known()).seconds).toEqual([150])
})

// Proves: state/upi-enquiries-90-s-three-at-most
test.each([
  ['unclear', unclear],
  ['pending', known({ outcome: 'pending' })],
])('an order about which every answer is %s is asked about three times, the last time before the giving up', (_name, answer) => {
  const { seconds, end } = askUntilFinal(cancel(opened(), at(0), timing).transaction, answer)
  expect(seconds).toEqual([90, 690, 86_400])
  expect(end).toMatchObject({ status: 'Failed', failure_reason: 'unconfirmed' })
})

// Proves: state/upi-enquiries-90-s-three-at-most
test('a payment under way is asked about 90 s after it began, and again ten minutes later, then at the end of the order', () => {
  const pending = applyReport(opened(), report({ outcome: 'pending' }), at(5), timing).transaction
  for (const transaction of [started('upi'), pending]) {
    const { seconds } = askUntilFinal(transaction, known({ outcome: 'pending' }))
    const begun = transaction === pending ? 5 : 0
    expect(seconds.slice(0, 3)).toEqual([begun + 90, begun + 690, 1290])
  }
})

// Proves: state/upi-enquiries-90-s-three-at-most
test('a card payment, and an order without UPI, are asked about as often as before', () => {
  expect(secondsOf(started('credit_card').enquiry?.due_at)).toBe(10)
  const decisions: Decision[] = [
    cancel(started('credit_card'), at(60), timing),
    cancel(opened({ methods: ['card'] }), at(60), timing),
  ]
  for (const { transaction } of decisions) expect(secondsOf(transaction.enquiry?.due_at)).toBe(60)
})

// Proves: state/upi-enquiries-90-s-three-at-most
test('without pauses for UPI, as in the sandbox, UPI is asked about like other methods', () => {
  expect(secondsOf(cancel(opened(), at(60), others).transaction.enquiry?.due_at)).toBe(60)
})
