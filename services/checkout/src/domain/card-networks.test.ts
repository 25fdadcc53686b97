import fc from 'fast-check'
import { hasValidCheckDigit } from '@gateway/contracts'
import { CARD_NETWORKS, detectNetwork } from './card-networks.ts'

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
  ['676770000000', undefined],
  ['1234567812345670', undefined],
  ['3528000000000007', undefined],
])('%s belongs to %s', (number, network) => {
  expect(detectNetwork(number)?.network).toBe(network)
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

test('no number belongs to two networks, and further digits never change a detected network', () => {
  const claims = (number: string) =>
    CARD_NETWORKS.filter(({ ranges }) =>
      ranges.some(([from, to]) => number.slice(0, from.length) >= from && number.slice(0, to.length) <= to),
    )
  // Every start of four digits; no range is longer.
  for (let start = 0; start < 10_000; start += 1) {
    const number = `${String(start).padStart(4, '0')}00000000`
    expect(claims(number).length).toBeLessThanOrEqual(1)
    expect(detectNetwork(number)).toBe(claims(number)[0])
  }
  fc.assert(
    fc.property(fc.stringMatching(/^\d{0,19}$/u), digits(3), (number, more) => {
      const known = detectNetwork(number)
      if (known) expect(detectNetwork(number + more)).toBe(known)
    }),
  )
})

test('both ends of every range are detected, with every length', () => {
  for (const { network, ranges, lengths } of CARD_NETWORKS) {
    for (const end of ranges.flat()) {
      for (const length of lengths) expect(detectNetwork(end.padEnd(length, '0'))?.network).toBe(network)
    }
  }
})
