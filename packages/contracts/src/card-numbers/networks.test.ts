import fc from 'fast-check'
import { hasValidCheckDigit, CARD_NETWORKS, isIssued, networkOf } from './networks.ts'

const digits = (length: number) => fc.stringMatching(new RegExp(`^\\d{${length}}$`, 'u'))
const check = (body: string): string => `${body}${'0123456789'.split('').find((digit) => hasValidCheckDigit(body + digit)) ?? ''}`

// Well-known test numbers, published by the networks and their acquirers.
test.each([
  ['4111111111111111', 'visa'],
  ['4222222222222', 'visa'],
  ['5555555555554444', 'mastercard'],
  ['2223003122003222', 'mastercard'],
  ['378282246310005', 'amex'],
  ['30569309025904', 'diners'],
  ['38520000023237', 'diners'],
  ['6521500000001012', 'rupay'],
  ['5085000000000007', 'rupay'],
  ['6759649826438453', 'maestro'],
  ['676770000000', 'maestro'],
  ['6220181234567890128', 'maestro'],
  ['6220170000000000007', 'unionpay'],
  ['5892000000000000', 'maestro'],
  ['5028010000000000', 'rupay'],
  ['8172000000000000', 'rupay'],
  ['3536000000000000', 'rupay'],
  ['3528000000000007', 'jcb'],
  ['6011000000000004', 'discover'],
  ['1234567812345670', undefined],
  ['2026112600000003', undefined],
  ['9', undefined],
])('%s belongs to %s', (number, network) => {
  expect(networkOf(number)?.id).toBe(network)
})

// Proves: page/one-table-of-card-ranges
test.each([
  ['4111111111111111', true],
  ['411111111111111', false],
  ['22210000000000', false],
  ['1795600000008', false],
  ['2026112600000003', false],
  ['6220181234567890128', true],
])('that %s is issued is %s: prefix and length of a network', (number, issued) => {
  expect(isIssued(number)).toBe(issued)
})

test.each([
  ['4111111111111111', true],
  ['378282246310005', true],
  ['4111111111111112', false],
  ['0', false],
  ['', false],
])('the check digit of %s: %s', (number, valid) => {
  expect(hasValidCheckDigit(number)).toBe(valid)
})

test('every number has exactly one check digit, and any single changed digit is detected', () => {
  fc.assert(
    fc.property(digits(15), fc.nat(15), fc.integer({ min: 1, max: 9 }), (body, position, by) => {
      const number = check(body)
      expect(number).toHaveLength(16)
      const changed = (Number(number[position]) + by) % 10
      expect(hasValidCheckDigit(`${number.slice(0, position)}${changed}${number.slice(position + 1)}`)).toBe(false)
    }),
  )
})

test('two swapped adjacent digits are detected, except 0 and 9', () => {
  fc.assert(
    fc.property(digits(15), fc.nat(14), (body, position) => {
      const number = check(body)
      const [one = '', other = ''] = [number[position], number[position + 1]]
      fc.pre(one !== other && one + other !== '09' && one + other !== '90')
      expect(hasValidCheckDigit(`${number.slice(0, position)}${other}${one}${number.slice(position + 2)}`)).toBe(false)
    }),
  )
})

test('the longest prefix decides, and no two networks have the same one', () => {
  const prefixes = CARD_NETWORKS.flatMap(({ ranges }) =>
    ranges.flatMap(([from, to]) =>
      Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => String(Number(from) + index)),
    ),
  )
  expect(new Set(prefixes).size).toBe(prefixes.length)
  for (const { id, ranges } of CARD_NETWORKS) for (const prefix of ranges.flat()) expect(networkOf(prefix)?.id).toBe(id)
})
