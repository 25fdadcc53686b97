import fc from 'fast-check'
import { findCards, hasValidCheckDigit, holdsCardNumber, slotDigits, SLOTS, type CardPolicy } from '@gateway/contracts'
import { checkDigit, PLANTED_FORMS } from './card-numbers.ts'

const CARDS = [
  '4111111111111111',
  '4222222222222',
  '5555555555554444',
  '2223003122003222',
  '378282246310005',
  '30569309025904',
  '6521111111111110',
  '6759649826438453',
  '6799990100000000019',
]
/** Directly beside a letter, other numbers are more often ids of banks and merchants. */
const BESIDE_LETTERS = ['4111111111111111', '5555555555554444', '2223003122003222', '378282246310005', '6521111111111110']
const forms = Object.entries(PLANTED_FORMS)

function found(written: string | Buffer, policy: CardPolicy = 'any'): string[] {
  return [...new Set(findCards(Buffer.from(written).toString('latin1'), policy).map(({ digits }) => digits))]
}

/** The form in the middle of something else. */
const within = (before: string, form: string | Buffer, after: string): Buffer =>
  Buffer.concat([Buffer.from(before), Buffer.from(form), Buffer.from(after)])

const CONTEXTS: readonly (readonly [string, string])[] = [
  ['', ''],
  ['{"time":"2026-11-21T10:59:00.123Z","message":"', '","duration_ms":12.5}'],
  ['method=card&number=', '&cvv=123'],
  ['\u0000\u0010\u0002name\u0000', '\u0000\u0001'],
]

describe.each(forms)('%s', (name, write) => {
  test.each(CARDS)('%s', (card) => {
    for (const [before, after] of CONTEXTS) {
      // In UTF-16, the zero byte after a name belongs to its last letter.
      const isBesideLetter = name === 'with letters around it' || (name === 'UTF-16' && before.endsWith('e\u0000'))
      expect(found(within(before, write(card), after))).toContain(card)
      expect(found(within(before, write(card), after), 'issued')).toContain(card)
      const inIds = found(within(before, write(card), after), 'whole')
      if (!isBesideLetter || BESIDE_LETTERS.includes(card)) expect(inIds).toContain(card)
    }
  })
})

const number = fc
  .integer({ min: 12, max: 18 })
  .chain((length) => fc.array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length }))
  .map((digits) => digits.join(''))

// Proves: faults/card-data-is-stored-nowhere
test('any Luhn-valid number of 13 to 19 digits is found in every form', () => {
  fc.assert(
    fc.property(number, fc.constantFrom(...forms), fc.constantFrom(...CONTEXTS), (digits, [, write], [before, after]) => {
      const card = digits + checkDigit(digits)
      expect(found(within(before, write(card), after))).toContain(card)
    }),
    { numRuns: 2000 },
  )
})

test('a text holds a card number when one is found in it', () => {
  const inText = fc
    .tuple(number, fc.constantFrom(...forms), fc.constantFrom(...CONTEXTS))
    .map(([digits, [, write], [before, after]]) => within(before, write(digits + checkDigit(digits)), after).toString('utf8'))
  const texts = fc.oneof(inText, fc.string({ unit: 'binary', maxLength: 60 }), fc.base64String({ minLength: 13, maxLength: 60 }))
  fc.assert(
    fc.property(texts, (text) => {
      for (const policy of ['any', 'issued', 'whole'] as const)
        if (found(text, policy).length > 0) expect(holdsCardNumber(text, policy)).toBe(true)
    }),
    { numRuns: 2000 },
  )
})

test('a number that fails the check is not found in any form', () => {
  const wrong = fc.tuple(number, fc.integer({ min: 1, max: 9 })).map(([digits, off]) => {
    return digits + String((Number(checkDigit(digits)) + off) % 10)
  })
  // Beyond 16 digits, groups of four hold numbers of 13 to 16 digits of their own.
  const short = wrong.filter((digits) => digits.length <= 16 && !hasValidCheckDigit(digits))
  // With the big end first, it is looked at without its last digit too.
  const certain = forms.filter(([name]) => name !== 'UTF-16, big end first')
  fc.assert(
    fc.property(short, fc.constantFrom(...certain), (digits, [, write]) => {
      expect(found(write(digits))).toEqual([])
    }),
    { numRuns: 2000 },
  )
  fc.assert(fc.property(wrong, (digits) => expect(found(digits)).toEqual([])))
})

test('a number that is too long or too short is not a card number', () => {
  for (const digits of ['411111111112', '0'.repeat(20), '000000010000000000000001']) expect(found(digits)).toEqual([])
})

test.each([
  ['a date in front', '2026-11-21 4111 1111 1111 1111'],
  ['a count in front', 'took 12 4111-1111-1111-1111 3'],
  ['its expiry directly after it', '41111111111111111228'],
  ['a longer run around it', '00000004111111111111111999'],
])('beside other digits: %s', (_name, text) => {
  expect(found(text)).toEqual(['4111111111111111'])
})

// Proves: faults/merchant-text-holds-no-card, ledger/one-rule-for-card-numbers-in-ids
describe('ids and texts of others', () => {
  test.each([
    ...CARDS,
    ...[
      'ORD-4111111111111111',
      'x4111111111111111y',
      '4111_1111_1111_1111',
      '4111:1111:1111:1111',
      '4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1',
      '3782 822463 10005',
      '3056-930902-5904',
    ],
    ...['*', ';', '#', '=', '~', ' = ', ' * ', "'", '","', ')('].map((mark) => `4111${mark}1111${mark}1111${mark}1111`),
    ...['(4111) 1111 1111 1111', '(4111)(1111)(1111)(1111)', '[4111] [1111] [1111] [1111]'],
    ...[
      'see 4111-1111-1111-1111.',
      '2026-11-26 4111 1111 1111 1111',
      '4111\u200d1111\u20601111\u00ad1111',
      '୪୧୧୧ ୧୧୧୧ ୧୧୧୧ ୧୧୧୧',
    ],
  ])('%s holds a card number', (text) => {
    expect(holdsCardNumber(text)).toBe(true)
  })

  test.each([
    ...[
      '1795600000008',
      '2026112600000003',
      'SBIN425126073112345678',
      'HDFCR52026112600000003',
      '633012345678',
      '1795600000000000006',
    ],
    ...[
      '20261126103000123',
      '2026-11-26T10:30:00.123456Z',
      '41111111111111111228',
      '4111111111111112',
      '98765 43210, 98765 43211',
    ],
    ...['8901030865237', '28.61393910000000,77.20902120000000', 'ORD-2026-11-26-000123456', '9223372036854775807'],
    ...['11111111-1111-4111-8111-111111111111', '41111111111111119999999999999999'],
  ])('%s is an id or another number', (text) => {
    expect(holdsCardNumber(text)).toBe(false)
  })

  test('a long list of numbers costs no more than its length', () => {
    expect(holdsCardNumber('7 '.repeat(2000))).toBe(false)
    expect(holdsCardNumber('9876 '.repeat(800))).toBe(false)
  })
})

describe('numbers that are ignored', () => {
  test('UUIDs: their dashes join unrelated digits', () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => expect(found(`{"request_id":"${uuid}"}`)).toEqual([])),
      { numRuns: 5000 },
    )
    expect(found('11111111-1111-4111-8111-111111111111')).toEqual([])
    expect(found('4111111111111111-1111-4111-8111-111111111111').length).toBeGreaterThan(0)
  })

  test('only in files of engines: numbers that no scheme issues, such as an epoch in milliseconds or a padded counter', () => {
    for (const text of ['1795251833418', '0000000000000018.wal', '9223372036854775807']) {
      expect(found(text, 'issued')).toEqual([])
    }
    expect(found('1795251833418')).toEqual(['1795251833418'])
    expect(found('0000000000000018.wal')).toEqual(['0000000000000018'])
  })

  test('only in files of engines: long fractions, as in the table of map projections', () => {
    for (const text of [
      'PARAMETER["standard_parallel_2",44.86666666666667]',
      '+lat_1=12.5833333333333 +x',
      '0.666666666666667',
    ]) {
      expect(found(text, 'issued')).toEqual([])
      expect(found(text)).not.toEqual([])
    }
  })

  test('only in files of engines: lists of small numbers, as in the catalogue of functions', () => {
    const bytes = ':constvalue 24 [ 96 0 0 0 77 69 82 71 69 95 76 79 78 71 69 83 84 95 66 79 82 68 69 82 ]'
    expect(found(bytes, 'issued')).toEqual([])
  })
})

test('transaction and webhook ids never look like a card number', () => {
  const anyId = fc.noBias(fc.tuple(fc.ulid(), fc.nat(SLOTS - 1))).map(([ulid, slot]) => ulid + slotDigits(slot))
  fc.assert(fc.property(anyId, (id) => expect(found(`{"transaction_id":"${id}","webhook-id":"${id}.2"}`)).toEqual([])))
})

test('bytes of any kind give neither error nor finding', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 4096 }), (bytes) => expect(found(Buffer.from(bytes), 'issued')).toEqual([])))
})
