import { applyEnquiry, type EnquiryAnswer } from '../src/enquiries/domain/enquiry-answer.ts'
import { at, report, timing } from './data.ts'
import type { Decision, Transaction } from '../src/payments/domain/transaction.ts'

/** Enquiries for tests; times are seconds after noon. */
export const known = (...payments: Parameters<typeof report>[0][]): EnquiryAnswer => ({
  kind: 'known',
  payments: payments.map(report),
})
export const unclear: EnquiryAnswer = { kind: 'unclear', why: 'ECONNREFUSED' }
export const ask = (transaction: Transaction, answer: EnquiryAnswer, seconds: number): Decision =>
  applyEnquiry(transaction, answer, at(seconds), timing)
/** The same answer at each of these times. */
export const askAtEach = (transaction: Transaction, answer: EnquiryAnswer, ...seconds: number[]): Transaction =>
  seconds.reduce((before, second) => ask(before, answer, second).transaction, transaction)
/** The last of three enquiries, after all pauses of `timing`. */
export const askToTheEnd = (transaction: Transaction, answer: EnquiryAnswer, second: number): Decision =>
  ask(askAtEach(transaction, answer, second - 20, second - 10), answer, second)
