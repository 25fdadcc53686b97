import { FAILURE_CODES } from '@gateway/contracts'
import { cancel } from './transition.ts'
import { codesOf, failureCodeOf } from './failure-codes.ts'
import { applyReport } from './reports.ts'
import { at, opened, report, timing } from '../../../test/data.ts'
import { ask, known } from '../../../test/enquiries.ts'

const failed = (fields: Parameters<typeof report>[0] = {}) => report({ outcome: 'failed', ...fields })

// Proves: api/failure-code-says-why
test.each(FAILURE_CODES)('the network says %s: search does, too', (code) => {
  const { transaction } = applyReport(opened(), failed({ reason_code: code, network_code: 'U30' }), at(1), timing)
  expect(failureCodeOf(transaction)).toBe(code)
  expect(transaction).toMatchObject({ failure_reason: 'declined', attempts: [{ failure_code: code, network_code: 'U30' }] })
})

// Proves: api/failure-code-says-why
test.each([
  ['a code of the connector that is not ours', { reason_code: 'U69' }, 'unknown', 'U69'],
  ['a code beside words', { reason_code: 'risk', reason: 'looks odd' }, 'risk', 'risk'],
  ['words that are one of our codes', { reason: 'insufficient_funds' }, 'insufficient_funds', 'insufficient_funds'],
  ['a shopper that cancelled', { reason: 'cancelled' }, 'payer_declined', 'cancelled'],
  ['a page that was left open', { reason: 'expired' }, 'timed_out', 'expired'],
  ['other words', { reason: 'declined by the issuer' }, 'unknown', 'declined by the issuer'],
  ['the name of an inherited property', { reason: 'constructor' }, 'unknown', 'constructor'],
  ['nothing', {}, 'unknown', null],
])('%s', (_name, fields, failure_code, network_code) => {
  expect(codesOf(failed(fields))).toEqual({ failure_code, network_code })
})

// Proves: api/failure-code-says-why
test('with several attempts the last decline says why; an earlier one keeps its own code', () => {
  const once = applyReport(opened({ max_attempts: 2 }), failed({ reason_code: 'risk' }), at(1), timing).transaction
  expect(failureCodeOf(once)).toBeNull()
  const twice = applyReport(once, failed({ reference: 'R2', reason_code: 'issuer_down' }), at(2), timing).transaction
  expect(failureCodeOf(twice)).toBe('issuer_down')
  expect(twice.attempts.map((attempt) => attempt.failure_code)).toEqual(['risk', 'issuer_down'])
})

// Proves: api/failure-code-says-why
test('an order that no decline ended has none: expired, cancelled, or paid', () => {
  expect(failureCodeOf(ask(cancel(opened(), at(1)).transaction, known(), 200).transaction)).toBeNull()
  expect(failureCodeOf(applyReport(opened(), report(), at(1), timing).transaction)).toBeNull()
})
