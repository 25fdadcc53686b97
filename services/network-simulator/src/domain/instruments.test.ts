import fc from 'fast-check'
import { networkOf } from '@gateway/contracts'
import { bankBehaviour, cardBehaviour, cardMethod, describeCard } from './instruments.ts'

/** The check digit makes the sum of ISO/IEC 7812-1 (Luhn) a multiple of ten. */
function luhnSum(number: string): number {
  const digits = Array.from(number, Number).reverse()
  return digits.reduce((sum, digit, index) => sum + (index % 2 === 0 ? digit : digit * 2 - (digit > 4 ? 9 : 0)), 0)
}

/** The number of a network's test card with these three digits before the check digit. */
function testCard(prefix: string, length: number, outcome: string): string {
  const body = `${prefix}${outcome.padStart(length - prefix.length - 1, '0')}`
  return `${body}${(10 - (luhnSum(`${body}0`) % 10)) % 10}`
}

const NETWORKS = [
  ['Visa', '400000', 16, 'credit_card'],
  ['Mastercard', '555555', 16, 'credit_card'],
  ['RuPay', '652150', 16, 'debit_card'],
  ['American Express', '378282', 15, 'credit_card'],
  ['Diners Club', '305693', 14, 'credit_card'],
  ['Maestro', '675964', 16, 'debit_card'],
] as const

const OUTCOMES = [
  ['101', { kind: 'decided', outcome: 'success', reason: null }],
  ['201', { kind: 'decided', outcome: 'failed', reason: 'declined by the issuer' }],
  ['202', { kind: 'decided', outcome: 'failed', reason: 'insufficient funds' }],
  ['203', { kind: 'decided', outcome: 'failed', reason: 'expired card' }],
  ['301', { kind: 'slow' }],
  ['401', { kind: 'page', refusesOtp: true }],
  ['402', { kind: 'page', lastsMs: 5000 }],
  ['501', { kind: 'down', how: 'silent' }],
  ['502', { kind: 'down', how: 'unavailable' }],
  ['503', { kind: 'page', losesFirstAnswer: true }],
] as const

describe.each(NETWORKS)('%s', (network, prefix, length, method) => {
  // Proves: page/documented-test-data
  test.each(OUTCOMES)('a number with %s before its check digit', (outcome, behaviour) => {
    const number = testCard(prefix, length, outcome)
    expect([number.length, luhnSum(number) % 10]).toEqual([length, 0])
    expect(cardBehaviour(number)).toEqual(behaviour)
    expect([networkOf(number)?.name, cardMethod(number)]).toEqual([network, method])
  })
})

test.each([
  ['4111111111111111', 'Visa', 'credit_card', { kind: 'page' }],
  ['4242424242424242', 'Visa', 'credit_card', { kind: 'decided', outcome: 'success' }],
  ['4000000000000002', 'Visa', 'credit_card', { kind: 'decided', reason: 'declined by the issuer' }],
  ['4000000000009995', 'Visa', 'credit_card', { kind: 'decided', reason: 'insufficient funds' }],
  ['4000000000000069', 'Visa', 'credit_card', { kind: 'decided', reason: 'expired card' }],
  ['4000000000000259', 'Visa', 'credit_card', { kind: 'slow' }],
  ['4000056655665556', 'Visa', 'debit_card', { kind: 'page' }],
  ['5555555555554444', 'Mastercard', 'credit_card', { kind: 'page' }],
  ['5200828282828210', 'Mastercard', 'debit_card', { kind: 'page' }],
  ['6521500000000006', 'RuPay', 'debit_card', { kind: 'page' }],
  ['378282246310005', 'American Express', 'credit_card', { kind: 'page' }],
  ['30569309025904', 'Diners Club', 'credit_card', { kind: 'page' }],
  ['6759649826438453', 'Maestro', 'debit_card', { kind: 'page' }],
])('%s is a %s %s', (number, network, method, behaviour) => {
  expect([networkOf(number)?.name, cardMethod(number)]).toEqual([network, method])
  expect(cardBehaviour(number)).toMatchObject(behaviour)
})

test.each([
  ['HDFC', { kind: 'page' }],
  ['PASS', { kind: 'decided', outcome: 'success' }],
  ['FAIL', { kind: 'decided', outcome: 'failed', reason: 'declined by the bank' }],
  ['SLOW', { kind: 'slow' }],
  ['TIME', { kind: 'page', lastsMs: 5000 }],
  ['HANG', { kind: 'down', how: 'silent' }],
  ['DOWN', { kind: 'down', how: 'unavailable' }],
  ['LOST', { kind: 'page', losesFirstAnswer: true }],
])('the bank %s', (bank, behaviour) => {
  expect(bankBehaviour(bank)).toMatchObject(behaviour)
})

test('a stored card description is never more than its network and last four digits', () => {
  const number = fc.stringMatching(/^\d{12,19}$/u)
  fc.assert(
    fc.property(number, (digits) => {
      const kept = describeCard(digits)
      expect(kept.endsWith(` ending in ${digits.slice(-4)}`)).toBe(true)
      expect(kept.replace(/\D/gu, '')).toBe(digits.slice(-4))
    }),
  )
})
