import { createHash } from 'node:crypto'
import { hasValidCheckDigit } from './networks.ts'
import { holdsCardNumber } from './find-cards.ts'

const IDS = 2000
const pad = (number: number, length: number): string => String(number).padStart(length, '0')
const digest = (algorithm: string, number: number): string => createHash(algorithm).update(String(number)).digest('hex')

/** Ids that merchants and banks make, one after another. Many begin like a card number. */
const FORMATS: Readonly<Record<string, (n: number) => string>> = {
  '<store>-<date>': (n) => `${600_000 + n}-20261126`,
  'order and phone': (n) => `ORD-60001-${9_863_892_703 + n}`,
  'invoice of a year': (n) => `INV-6001-2026-${10_004 + n}`,
  'store, date, number': (n) => `4021-20261126-${pad(n, 4)}`,
  'store, year, day, number': (n) => `4021-2026-1126-${pad(n, 4)}`,
  'store, date and number in one': (n) => `402120261126${pad(n, 4)}`,
  'store, date of India and number in one': (n) => `ORD510526112026${pad(n, 4)}`,
  'time and number': (n) => `${pad(2_611_261_008 + Math.floor(n / 60), 10)}${pad(n % 60, 2)}0001`,
  'store and phone': (n) => `4021_${9_876_543_210 + n}`,
  'two numbers of eight digits': (n) => `${60_000_000 + n}/20261126`,
  'milliseconds after letters': (n) => `PAY${1_795_687_695_000 + n}`,
  'thirteen digits of Maestro': (n) => String(6_795_687_695_000 + n),
  'RTGS of UTI': (n) => `UTIBR620261126${pad(n, 8)}`,
  'RTGS of HDFC': (n) => `HDFCR5202611${pad(n, 10)}`,
  'NEFT of Axis': (n) => `AXIS633010${pad(n, 8)}`,
  'NEFT of HDFC on a day in December': (n) => `N34226${pad(4_934_054_320 + n, 10)}`,
  'NEFT of the State Bank': (n) => `SBIN4${pad(25_126_073_112 + n, 11)}`,
  'a long UTR': (n) => `SBIN4251260731123${pad(n, 5)}`,
  RRN: (n) => String(633_012_345_678 + n),
  'sha256 in hex': (n) => digest('sha256', n),
  'md5 in hex, after a prefix': (n) => `order_${digest('md5', n)}`,
  'the id of a MongoDB document': (n) => `6566${digest('sha1', n).slice(0, 10)}a1${pad(n, 8)}`,
}
const refused = (format: (n: number) => string): number =>
  Array.from({ length: IDS }, (_, n) => format(n)).filter((id) => holdsCardNumber(id)).length

// Proves: ledger/one-rule-for-card-numbers-in-ids, faults/merchant-text-holds-no-card
test.each(Object.entries(FORMATS))('no id of this format is taken for a card number: %s', (_name, format) => {
  expect(refused(format)).toBe(0)
})

// Proves: faults/merchant-text-holds-no-card
test.each([
  ['alone', ''],
  ['after letters', 'ORD'],
])(
  'of sixteen digits in a row %s that begin like a card, those with its check digit are refused: one in ten',
  (_name, before) => {
    // No rule can tell such an id from a card number.
    expect(refused((n) => `${before}${4_021_000_000_000_000 + n}`)).toBe(IDS / 10)
  },
)

// Proves: faults/merchant-text-holds-no-card
test('hardly any card number has a date by chance', () => {
  let [cards, missed] = [0, 0]
  for (let n = 0; cards < 5000; n++) {
    const digits = `4${BigInt(`0x${digest('sha256', n)}`)
      .toString()
      .slice(-15)}`
    if (!hasValidCheckDigit(digits)) continue
    cards += 1
    if (!holdsCardNumber(digits)) missed += 1
  }
  expect(missed / cards).toBeLessThan(0.002)
})

// Proves: ledger/one-rule-for-card-numbers-in-ids
test.each([
  ...['600000-20261126', 'ORD-60001-9863892703', 'INV-6001-2026-10004', '4021-20261126-1008', 'UTIBR62026112600000007'],
  ...['AXIS63301000000006', '4499.999999999999', 'N340243456789012'],
])('%s is an id or an amount', (id) => {
  expect(holdsCardNumber(id)).toBe(false)
})

// Proves: faults/merchant-text-holds-no-card
test.each([
  ...[
    'card4111111111111111',
    'x378282246310005',
    '5555555555554444INR',
    'T2223003122003222',
    'ORD-4222222222222',
    '30569309025904',
  ],
  ...['order_4111111111111111_' + 'a1b2c3d4'.repeat(4), '4111-1111-1111-1111 12/26', '3782 822463 10005', '6759 6498 2643 8453'],
])('%s holds a card number', (text) => {
  expect(holdsCardNumber(text)).toBe(true)
})
