import fc from 'fast-check'
import { findCards, FAILURE_CODES, type NetworkReport, type RefundReport } from '@gateway/contracts'
import { checkDigit, PLANTED_FORMS } from '@gateway/testkit/card-numbers'
import { report, T1 } from '../../../test/data.ts'
import { safeReport } from './acquirer-text.ts'

const CARD = '4111111111111111'
const CODE_FIELDS = ['network_code', 'reason_code', 'reason'] as const
const refund = (fields: Partial<RefundReport> = {}): RefundReport => {
  return { refund_id: `${T1}R01`, status: 'failed', amount: '1.00', ...fields }
}
/** Card numbers in everything of a report that is stored, answered or logged. */
const cardsOf = ({ rrn, reason, reason_code, network_code, payer }: NetworkReport) => [
  ...[rrn, reason_code, network_code].flatMap((text = '') => findCards(Buffer.from(text).toString('latin1'), 'whole')),
  ...[reason, payer?.name, payer?.vpa].flatMap((text = '') => findCards(Buffer.from(text).toString('latin1'), 'any')),
]

const digits = fc
  .integer({ min: 12, max: 18 })
  .chain((length) => fc.array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length }))
  .map((body) => body.join(''))
const cards = digits.map((body) => body + checkDigit(body))
const separators = fc.string({ unit: fc.constantFrom(' ', '-', '.', '\u0000', '\u200b', '\n', '\u2003', 'é', '٠'), maxLength: 6 })
/** A card number with something between its digits, or in a form that programs write, within other text. */
const withCard = fc.oneof(
  fc.tuple(cards, separators).map(([card, separator]) => card.match(/\d{1,4}/gu)?.join(separator) ?? ''),
  fc.tuple(cards, fc.constantFrom(...Object.values(PLANTED_FORMS))).map(([card, write]) => write(card).toString()),
)
const anyText = fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), withCard)

// Proves: faults/acquirer-text-holds-no-card
test('whatever an acquirer writes: no text that is kept holds a card number or a control character', () => {
  const texts = fc.record({
    network_code: anyText,
    reason_code: anyText,
    reason: anyText,
    rrn: anyText,
    name: anyText,
    vpa: anyText,
  })
  fc.assert(
    fc.property(texts, ({ name, vpa, ...codes }) => {
      const { report: kept } = safeReport(report({ ...codes, payer: { name, vpa } }))
      expect(cardsOf(kept)).toEqual([])
      for (const field of CODE_FIELDS) expect(kept[field] ?? '').toMatch(/^[A-Za-z0-9 .,:;_/()'+-]*$/u)
      expect(kept.payer?.name ?? '').not.toMatch(/[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/u)
      expect(kept.payer?.vpa ?? '').toMatch(/^[!-~]*$/u)
    }),
    { numRuns: 2000 },
  )
})

// Proves: faults/acquirer-text-holds-no-card
test.each(Object.entries(PLANTED_FORMS))('a card number written as %s is dropped, and the field is named', (_form, write) => {
  const text = `DECLINED ${write(CARD).toString('utf8')}`
  for (const field of CODE_FIELDS) {
    const { report: kept, cardsIn } = safeReport(report({ outcome: 'failed', [field]: text }))
    // Bytes that are not UTF-8 are lost before: what is left of them is no card number.
    if (kept[field] === undefined) expect(cardsIn).toEqual([field])
    else expect(cardsOf(kept)).toEqual([])
  }
})

// Proves: faults/acquirer-text-holds-no-card
test.each([
  ['an rrn', { rrn: CARD }, 'rrn'],
  ['an rrn with letters around it', { rrn: `RRN${CARD}` }, 'rrn'],
  ['the name of a payer', { payer: { name: CARD, vpa: 'asha@okbank' } }, 'payer'],
  ['a name with more digits than any name, in another script', { payer: { name: '४'.repeat(13), vpa: 'asha@okbank' } }, 'payer'],
  ['a VPA', { payer: { name: 'Asha Rao', vpa: `${CARD}@okbank` } }, 'payer'],
] as const)('a card number as %s is dropped, and the rest stays', (_name, fields, field) => {
  const { report: kept, cardsIn } = safeReport(report(fields))
  expect([kept[field], cardsIn]).toEqual([undefined, [field]])
  expect(kept).toMatchObject(report())
})

// Proves: faults/acquirer-text-holds-no-card
test('a reference is kept, because the money is found by it, and it is named', () => {
  for (const reference of [CARD, '4111-1111-1111-1111'])
    expect(safeReport(report({ reference }))).toEqual({ report: report({ reference }), cardsIn: ['reference'] })
})

test('only characters of codes stay', () => {
  const { report: kept, cardsIn } = safeReport(
    refund({ network_code: '\u0000U69\u202e', reason_code: ' not\r\n  ours ', rrn: '4' }),
  )
  expect(kept).toEqual(refund({ network_code: 'U69', reason_code: 'not ours', rrn: '4' }))
  expect(cardsIn).toEqual([])
  const empty = safeReport(refund({ network_code: '\u0000', reason_code: 'अस्वीकृत' }))
  expect([empty.report.network_code, empty.report.reason_code, empty.cardsIn]).toEqual([undefined, undefined, []])
})

test.each([
  report(),
  report({ rrn: '412345678901', payer: { name: 'आशा राव', vpa: 'asha.rao@okhdfcbank' } }),
  report({ rrn: 'SBIN425126073112345678', payer: { name: "Asha D'Souza (9876543210)", vpa: '9876543210@upi' } }),
  ...FAILURE_CODES.map((code) => report({ outcome: 'failed', reason_code: code })),
  ...['U30', 'NETWORK-51', '05', 'BT/ZM:U69', 'wrong one-time password, three times'].map((code) =>
    report({ network_code: code }),
  ),
])('a report without such text is the same object: %j', (given) => {
  const { report: kept, cardsIn } = safeReport(given)
  expect(kept).toBe(given)
  expect(cardsIn).toEqual([])
})
