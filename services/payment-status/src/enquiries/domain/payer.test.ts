import { applyReport, type Decision, expire, startAttempt, type Transaction } from '../../payments/index.ts'
import { at, opened, report, timing } from '../../../test/data.ts'
import { ask, known } from '../../../test/enquiries.ts'

/** The payer and the rrn that a report tells are kept, whatever its outcome (specification, section 6.2). */

const payer = { name: 'Asha', vpa: 'asha@okbank' }
const ravi = { name: 'Ravi', vpa: 'ravi@okaxis' }
const rrn = '123456789012'

const apply = (transaction: Transaction, fields: Parameters<typeof report>[0]): Decision =>
  applyReport(transaction, report(fields), at(1), timing)
const eventOf = ({ events }: Decision) => events.at(-1)?.data

// Proves: spec/6-2-payee-name-payee-vpa
test.each(['pending', 'failed', 'success'] as const)('a report of %s tells the payer: its event has it', (outcome) => {
  const decision = apply(opened(), { outcome, payer, rrn })
  expect(eventOf(decision)).toMatchObject({ method: 'upi', payer, rrn })
  expect(decision.transaction).toMatchObject({ method: 'upi', payer, rrn })
})

// Proves: spec/6-2-payee-name-payee-vpa
test('a decline with attempts left keeps Pending, and its event has the payer', () => {
  expect(eventOf(apply(opened({ max_attempts: 2 }), { outcome: 'failed', payer }))).toMatchObject({ status: 'Pending', payer })
})

// Proves: spec/6-2-payee-name-payee-vpa
test.each(['failed', 'success'] as const)(
  'a payer that the pending report told is kept when the %s report leaves it out',
  (outcome) => {
    const { transaction } = apply(opened(), { outcome: 'pending', payer, rrn })
    expect(eventOf(apply(transaction, { outcome }))).toMatchObject({ payer, rrn })
  },
)

// Proves: spec/6-2-payee-name-payee-vpa
test('a payer that is known only after Pending began comes with the next event', () => {
  const { transaction } = startedByUpi()
  const told = apply(transaction, { attempt_id: 'ATTEMPT1', outcome: 'pending', payer })
  expect(told.events).toEqual([])
  expect(told.transaction).toMatchObject({ status: 'Pending', payer })
  const expired = expire(told.transaction, at(1200)).transaction
  expect(eventOf(ask(expired, known(), 1300))).toMatchObject({
    status: 'Failed',
    failure_reason: 'expired',
    method: 'upi',
    payer,
  })
})

// Proves: spec/6-2-payee-name-payee-vpa
test('the payer of one payment is never told about another', () => {
  const once = apply(opened({ max_attempts: 2 }), { outcome: 'failed', payer, rrn }).transaction
  const card = { reference: 'R2', method: 'credit_card' } as const
  expect(eventOf(apply(once, { ...card, outcome: 'failed' }))).toMatchObject({ method: 'credit_card', payer: null, rrn: null })
  expect(eventOf(apply(once, card))).toMatchObject({ status: 'Success', method: 'credit_card', payer: null, rrn: null })
  expect(eventOf(apply(once, { reference: 'R3', payer: ravi }))).toMatchObject({ payer: ravi, rrn: null })
})

test('a payer has exactly the fields of the event, whatever else the network tells', () => {
  const more = { ...payer, bank: 'OKBK' }
  expect(eventOf(apply(opened(), { payer: more }))?.payer).toEqual(payer)
})

test('an empty rrn is none', () => {
  expect(eventOf(apply(opened(), { rrn: '' }))?.rrn).toBeNull()
})

function startedByUpi(): Decision {
  const decision = startAttempt(opened(), { id: 'ATTEMPT1', method: 'upi' }, at(0), timing)
  if (typeof decision === 'string') throw new Error(decision)
  return decision
}
