import { applyReport, MAX_STORED_PAYMENTS, toDocument, toTransaction, type Transaction, unchanged } from '../../payments/index.ts'
import { at, opened, report, timing } from '../../../test/data.ts'
import { ask, known } from '../../../test/enquiries.ts'

const names = Array.from({ length: MAX_STORED_PAYMENTS }, (_, index) => `N${index}`)
const take = (transaction: Transaction, fields: Parameters<typeof report>[0], second = 1) =>
  applyReport(transaction, report(fields), at(second), timing)
const all = (before: Transaction, fields: Parameters<typeof report>[0]): Transaction =>
  names.reduce((transaction, reference) => take(transaction, { ...fields, reference }).transaction, before)

// Proves: money/a-transaction-has-room-for-so-many-payments
test('captures beyond the bound are not stored: each is to be given back, however often it is reported', () => {
  const full = all(take(opened(), { outcome: 'failed', reference: 'N0' }).transaction, {})
  expect([full.captures, full.reversals, full.attempts].map(({ length }) => length)).toEqual([100, 100, 100])
  for (let times = 0; times < 2; times++) {
    const { transaction, excess, events } = take(full, { reference: 'NEXT' })
    expect(transaction).toBe(full)
    expect(excess).toEqual([{ reference: 'NEXT', amount_paise: 49_900, reason: 'late' }])
    expect(events).toEqual([])
  }
  expect(take(full, { reference: 'N7', amount: '499' })).toMatchObject({ transaction: full })
  expect(take(full, { reference: 'N7' }).excess).toEqual([])
})

// Proves: money/a-transaction-has-room-for-so-many-payments
test('the payment of the order is accepted, however many wrong ones came before', () => {
  const wrong = all(opened({ max_attempts: 5 }), { outcome: 'pending' })
  expect(take(wrong, { reference: 'W', amount: '1.00' }).excess).toEqual([
    { reference: 'W', amount_paise: 100, reason: 'amount_mismatch' },
  ])
  const paid = take(wrong, { reference: 'GOOD' }).transaction
  expect(paid).toMatchObject({ status: 'Success', captures: [{ reference: 'GOOD', disposition: 'accepted' }] })
  expect(take(paid, { reference: 'TWICE' }).excess).toEqual([{ reference: 'TWICE', amount_paise: 49_900, reason: 'duplicate' }])
  expect(take(paid, { reference: 'N7', outcome: 'success' }).transaction.reversals).toMatchObject([{ reference: 'N7' }])
})

test('declines and pending payments beyond the bound change nothing', () => {
  const full = all(opened({ max_attempts: 5 }), { outcome: 'pending' })
  for (const outcome of ['pending', 'failed'] as const) expect(take(full, { reference: 'X', outcome }).transaction).toBe(full)
})

// Proves: money/a-transaction-has-room-for-so-many-payments
test('an answer that names money beyond the bound is not clear', () => {
  const full = all(take(opened(), { outcome: 'failed', reference: 'N0' }).transaction, {})
  const { transaction, excess } = ask(full, known({ reference: 'NEXT' }), 900)
  expect(excess).toHaveLength(1)
  expect(transaction).toMatchObject({ enquiry: { round: 0, requests: 1 }, captures: full.captures })
})

// Proves: money/excess-captures-go-back-part-by-part
test('all captures beyond the bound go back, part by part, and again at the next enquiry of the schedule', () => {
  const full = all(take(opened(), { outcome: 'failed', reference: 'N0' }).transaction, {})
  const beyond = Array.from({ length: 9 }, (_, index) => ({ reference: `X${index}` }))
  const answer = known(...beyond)
  let [transaction, second] = [full, 900]
  for (let times = 0; times < 2; times++) {
    const returned: string[] = []
    for (const last of [3, 7, 8]) {
      const asked = transaction.enquiry
      // As stored and read again: nothing is remembered but the document.
      const decision = ask(toTransaction(toDocument(unchanged(transaction))), answer, second)
      returned.push(...decision.excess.map(({ reference }) => reference))
      ;({ transaction } = decision)
      expect(transaction).toMatchObject({ returned_up_to: `X${last}`, captures: full.captures })
      // The parts before the last are no step of the schedule.
      const step = last === 8 ? { round: 0, requests: (asked?.requests ?? 0) + 1 } : { ...asked, due_at: at(second + 5) }
      expect(transaction.enquiry).toMatchObject(step)
      second += 5
    }
    expect(returned).toEqual(beyond.map(({ reference }) => reference))
  }
})
