import fc from 'fast-check'
import { PAYMENT_METHODS, type NetworkReport } from '@gateway/contracts'
import { applyEnquiry } from './enquiry-answer.ts'
import { applyReport, cancel, type Transaction } from '../../payments/index.ts'
import { at, opened, report, timing, T1 } from '../../../test/data.ts'
import { ask, known } from '../../../test/enquiries.ts'

/** What an order leads to must not depend on the order in which the network happens to list or send its reports. */

const anyReport: fc.Arbitrary<NetworkReport> = fc.record({
  reference: fc.constantFrom('R1', 'R2', 'R3'),
  tr: fc.constant(T1),
  attempt_id: fc.constantFrom('A1', 'unknown'),
  outcome: fc.constantFrom('pending', 'success', 'failed'),
  amount: fc.constantFrom('499.00', '499.00', '1.00'),
  method: fc.constantFrom(...PAYMENT_METHODS),
  rrn: fc.constantFrom('1', '2'),
})

/** Reports, and the same ones in another order. */
const shuffledOf = (each: fc.Arbitrary<NetworkReport>) =>
  fc
    .array(each, { minLength: 2, maxLength: 5 })
    .chain((reports) => fc.tuple(fc.constant(reports), fc.shuffledSubarray(reports, { minLength: reports.length })))
const shuffled = shuffledOf(anyReport)
/** A payment has one amount: the first capture of a reference decides whether its money is kept. */
const shuffledPayments = shuffledOf(anyReport.map((one) => ({ ...one, amount: one.reference === 'R3' ? '1.00' : '499.00' })))

const callbacks = (first: Transaction, reports: readonly NetworkReport[]): Transaction =>
  reports.reduce((before, one, index) => applyReport(before, one, at(10 + index), timing).transaction, first)

const enquire = (before: Transaction, payments: readonly NetworkReport[]): Transaction =>
  applyEnquiry(before, { kind: 'known', payments }, at(100), timing).transaction

// Proves: state/enquiry-answer-is-a-set
test.each([1, 3])('a payment that succeeded is kept, wherever the answer lists it (%d attempts)', (maxAttempts) => {
  const [failed, paid] = [{ reference: 'R1', outcome: 'failed' } as const, { reference: 'R2' }]
  const order = opened({ max_attempts: maxAttempts })
  for (const answer of [known(failed, paid), known(paid, failed)])
    expect(ask(order, answer, 10).transaction).toMatchObject({ status: 'Success', reversals: [] })
})

// Proves: state/enquiry-answer-is-a-set
test('a payment that is pending keeps the order open, wherever the answer lists it', () => {
  const [failed, pending] = [{ reference: 'R1', outcome: 'failed' } as const, { reference: 'R2', outcome: 'pending' } as const]
  for (const answer of [known(failed, pending), known(pending, failed)])
    expect(ask(opened(), answer, 10).transaction.status).toBe('Pending')
})

// Proves: state/enquiry-answer-is-a-set
test('a payment of the right amount is kept, wherever the answer lists one of a wrong amount', () => {
  const [wrong, paid] = [{ reference: 'R1', amount: '1.00' }, { reference: 'R2' }]
  for (const answer of [known(wrong, paid), known(paid, wrong)]) {
    const { transaction } = ask(opened(), answer, 10)
    expect(transaction).toMatchObject({ status: 'Success', reversals: [{ reference: 'R1' }] })
  }
})

// Proves: state/enquiry-answer-is-a-set
test('an enquiry: the same payments in any order lead to the same transaction, whatever callbacks came before', () => {
  const before = fc.array(anyReport, { maxLength: 3 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.boolean(), before, shuffled, (max, isClosing, earlier, [one, other]) => {
      const open = callbacks(opened({ max_attempts: max }), earlier)
      const transaction = isClosing ? cancel(open, at(50)).transaction : open
      expect(enquire(transaction, other)).toEqual(enquire(transaction, one))
    }),
    { numRuns: 500 },
  )
})

/** What must agree: the status, and the money that the network has captured. Which of two payments is kept may differ. */
function moneyOf({ status, captures, reversals }: Transaction) {
  const references = captures.map(({ reference }) => reference).toSorted()
  return { status, references, kept: references.length - reversals.length }
}

// Proves: state/enquiry-answer-is-a-set
test('callbacks and enquiries, mixed: while attempts are left, any order of the same reports leads to the same status and money', () => {
  fc.assert(
    fc.property(shuffledPayments, fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }), ([one, other], byEnquiry) => {
      const take = (reports: readonly NetworkReport[]): Transaction =>
        reports.reduce(
          (before, each, index) => (byEnquiry[index] === true ? enquire(before, [each]) : callbacks(before, [each])),
          // More attempts than reports: a decline is never the last one, after which later money would be late.
          opened({ max_attempts: 5 }),
        )
      const settled = (reports: readonly NetworkReport[]) => moneyOf(enquire(take(reports), reports))
      expect(settled(other)).toEqual(settled(one))
      expect(settled(one)).toEqual(moneyOf(enquire(opened({ max_attempts: 5 }), other)))
    }),
    { numRuns: 500 },
  )
})

// Proves: state/enquiry-answer-is-a-set
test('callbacks in any order: every payment that was captured is kept once or given back once', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), shuffled, (maxAttempts, [one, other]) => {
      const order = opened({ max_attempts: maxAttempts })
      const [first, second] = [callbacks(order, one), callbacks(order, other)].map(moneyOf)
      expect(second?.references).toEqual(first?.references)
      for (const money of [first, second]) expect(money?.kept).toBe(money?.status === 'Success' ? 1 : 0)
    }),
    { numRuns: 500 },
  )
})

test('a single decline in an answer is still a decline', () => {
  expect(enquire(opened(), [report({ outcome: 'failed' })])).toMatchObject({ status: 'Failed', failure_reason: 'declined' })
})
