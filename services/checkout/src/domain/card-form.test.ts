import { CARD_NETWORKS, createOrderRequest, hasValidCheckDigit, startPayment } from '@gateway/contracts'
import fc from 'fast-check'
import type { FormErrorCode } from './card-fields.ts'
import { isRefused, readPayForm, type FormField } from './card-form.ts'

const now = new Date('2026-03-15T12:00:00Z')
const good = { card_number: '4111 1111 1111 1111', card_expiry: '12/28', card_cvv: '123', card_name: 'Asha Rao' }
const read = (fields: object, environment: 'sandbox' | 'production' = 'sandbox', at = now) =>
  readPayForm('card', { ...good, ...fields }, { now: at, environment })
const readBank = (bank: unknown, environment: 'sandbox' | 'production' = 'sandbox') =>
  readPayForm('netbanking', { bank }, { now, environment })
const luhn = (body: string) => `${body}${'0123456789'.split('').find((digit) => hasValidCheckDigit(body + digit)) ?? ''}`
const errorsOf = (fields: object, at = now): object[] => {
  const form = read(fields, 'sandbox', at)
  return isRefused(form) ? [...form.errors] : []
}

test('a valid card becomes what the network contract requires', () => {
  expect(read({})).toEqual({
    method: 'credit_card',
    details: { card: { number: '4111111111111111', expiry_month: '12', expiry_year: '2028', cvv: '123', name: 'Asha Rao' } },
  })
})

test.each([
  ['hyphens', { card_number: '4111-1111-1111-1111' }],
  [
    'spaces around',
    { card_number: ' 4111111111111111 ', card_cvv: ' 123 ', card_expiry: ' 12 / 28 ', card_name: '  Asha   Rao ' },
  ],
  ['a full year', { card_expiry: '12/2028' }],
  ['no slash', { card_expiry: '1228' }],
  ['Hindi digits', { card_number: '४१११ ११११ ११११ ११११', card_expiry: '१२/२८', card_cvv: '१२३' }],
  ['Tamil digits', { card_number: '௪௧௧௧௧௧௧௧௧௧௧௧௧௧௧௧', card_expiry: '௧௨/௨௮', card_cvv: '௧௨௩' }],
  ['full-width digits', { card_number: '４１１１　１１１１　１１１１　１１１１', card_expiry: '１２／２８', card_cvv: '１２３' }],
  ['dots', { card_number: '4111.1111.1111.1111', card_expiry: '12.28', card_cvv: '1 2 3' }],
  ['marks of a PDF', { card_number: '\u202d4111\u00a01111\u200b1111\u20111111\u202c', card_cvv: '\u00a0123' }],
])('%s change nothing', (_name, fields) => {
  expect(read(fields)).toEqual(read({}))
})

// Proves: page/expiry-as-people-type-it
test.each([
  '1/30',
  '1-30',
  '1.30',
  '1 30',
  '1/2030',
  '01/2030',
  '01 - 2030',
  '0130',
  '012030',
  '130',
  ' 1 / 30 ',
  '2030-01',
  '१/३०',
])('the expiry %j is January 2030', (card_expiry) => {
  expect(read({ card_expiry })).toMatchObject({ details: { card: { expiry_month: '01', expiry_year: '2030' } } })
})

// Proves: page/expiry-as-people-type-it
test.each(['13/0', '1/3', '113', '0/30', '00/30', '30', '2030', '1/1/30', '13/30', 'Jan 30', '1/030', '/', '-'])(
  'the expiry %j is no month and year',
  (card_expiry) => {
    expect(errorsOf({ card_expiry })).toEqual([{ field: 'card_expiry', code: 'expiry_format' }])
  },
)

// Proves: page/unknown-card-range-goes-to-the-network
test.each([
  ['Maestro of the State Bank of India', '6220181234567890128'],
  ['Maestro', '5892000000000000'],
  ['RuPay', '5028010000000000'],
  ['JCB', '3528000000000007'],
  ['a range that the table does not have', '9999000000000000'],
  ['the shortest number there is', '990000000000'],
])('%s: the network decides about the card', (_name, start) => {
  const number = luhn(start.slice(0, -1))
  expect(read({ card_number: number })).toMatchObject({ details: { card: { number } } })
})

// Proves: page/name-on-card-as-customer-name
test.each([
  ['a joiner', 'ക്‍ഷ'],
  ['a non-joiner', 'क्‌ष'],
  ['combining marks', 'Jose\u0301 Ngu\u0323\u0302'],
  ['apostrophes', "D'Souza O’Brien ʻOkina `Alī"],
  ['dots and hyphens', 'Dr. A. P. J. Rao-Jain, Jr. (HUF) c/o M/s X & Y'],
  ['another hyphen', 'Jean\u2010Luc'],
  ['other scripts', '王小明 Ángel மணி'],
])('a name with %s is a name on a card as it is a customer’s', (_name, name) => {
  const order = { order_id: 'ORD-1', amount: '1', customer: { name, email: 'a@b.in', phone: '9876543210' } }
  expect(createOrderRequest({ sandbox: false })(order)).toBe(true)
  expect(read({ card_name: name })).toMatchObject({ details: { card: { name: name.normalize('NFC') } } })
})

test('Maestro is a debit card; every network takes a security code of its own length', () => {
  expect(read({ card_number: '6759649826438453' })).toMatchObject({ method: 'debit_card' })
  expect(read({ card_number: '378282246310005', card_cvv: '1234' })).toMatchObject({ method: 'credit_card' })
  expect(read({ card_number: '30569309025904' })).toMatchObject({ method: 'credit_card' })
  expect(read({ card_number: '6521500000001012' })).toMatchObject({ method: 'credit_card' })
})

test.each<[string, FormField, unknown, FormErrorCode]>([
  ['no number', 'card_number', '', 'required'],
  ['a number sent twice', 'card_number', ['4111111111111111', '4111111111111111'], 'required'],
  ['letters', 'card_number', '4111 1111 1111 111x', 'number_invalid'],
  ['a wrong check digit', 'card_number', '4111111111111112', 'number_invalid'],
  ['too few digits', 'card_number', '41111111111', 'number_length'],
  ['too many digits', 'card_number', '41111111111111111111', 'number_length'],
  ['a length that Visa does not have', 'card_number', '411111111111116', 'number_length'],
  ['too many digits of an unknown range', 'card_number', '99999999999999999999', 'number_length'],
  ['no expiry', 'card_expiry', ' ', 'required'],
  ['a month that does not exist', 'card_expiry', '13/28', 'expiry_format'],
  ['words', 'card_expiry', 'soon', 'expiry_format'],
  ['a year far away', 'card_expiry', '12/47', 'expiry_format'],
  ['last month', 'card_expiry', '02/26', 'expired'],
  ['no security code', 'card_cvv', '', 'required'],
  ['a short security code', 'card_cvv', '12', 'cvv_length'],
  ['a security code of another network', 'card_cvv', '1234', 'cvv_length'],
  ['a security code of letters', 'card_cvv', 'abc', 'cvv_length'],
  ['no name', 'card_name', '', 'required'],
  ['a name without a letter', 'card_name', '123', 'name_invalid'],
  ['a name with markup', 'card_name', '<b>Asha</b>', 'name_invalid'],
  ['a name with a control character', 'card_name', 'Asha\u0007Rao', 'name_invalid'],
  ['a name that is too long', 'card_name', 'a'.repeat(101), 'name_invalid'],
  ['a number instead of a name', 'card_name', '4111 1111 1111 1111', 'name_invalid'],
  ['a number within a name', 'card_name', 'Asha 4111-1111-1111-1111', 'name_invalid'],
])('%s: %s is refused', (_name, field, value, code) => {
  expect(errorsOf({ [field]: value })).toEqual([{ field, code }])
})

test('an American Express card needs a security code of four digits', () => {
  expect(errorsOf({ card_number: '378282246310005' })).toEqual([{ field: 'card_cvv', code: 'cvv_length' }])
})

test('a card is valid until the last moment of its month in India', () => {
  expect(errorsOf({ card_expiry: '03/26' }, new Date('2026-03-31T18:29:59.999Z'))).toEqual([])
  expect(errorsOf({ card_expiry: '03/26' }, new Date('2026-03-31T18:30:00Z'))).toEqual([
    { field: 'card_expiry', code: 'expired' },
  ])
})

test('all mistakes are reported at once, and only valid values are shown again', () => {
  const form = read({ card_number: '', card_cvv: 'x', card_name: '4111111111111111' })
  expect(form).toEqual({
    method: 'card',
    values: { expiry: '12/28' },
    errors: [
      { field: 'card_number', code: 'required' },
      { field: 'card_cvv', code: 'cvv_length' },
      { field: 'card_name', code: 'name_invalid' },
    ],
  })
  expect(read({ card_cvv: '' })).toMatchObject({ values: { name: 'Asha Rao', expiry: '12/28' } })
})

test('accepts listed banks, and test banks only in the sandbox', () => {
  expect(readBank('SBIN')).toEqual({ method: 'netbanking', details: { netbanking: { bank: 'SBIN' } } })
  expect(readBank('PASS')).toMatchObject({ details: { netbanking: { bank: 'PASS' } } })
  expect(readBank('PASS', 'production')).toMatchObject({ errors: [{ field: 'bank', code: 'bank_unknown' }] })
  expect(readBank('')).toMatchObject({ errors: [{ field: 'bank', code: 'required' }] })
  expect(readBank(['SBIN', 'HDFC'])).toMatchObject({ errors: [{ field: 'bank', code: 'required' }] })
  expect(readBank('4111111111111111')).toEqual({
    method: 'netbanking',
    values: {},
    errors: [{ field: 'bank', code: 'bank_unknown' }],
  })
})

const anyCard = fc
  .constantFrom(...CARD_NETWORKS.flatMap((rules) => rules.lengths.map((length) => ({ rules, length }))))
  .chain(({ rules, length }) =>
    fc
      .tuple(fc.constantFrom(...rules.ranges.map(([from]) => from)), fc.stringMatching(/^\d{18}$/u))
      .map(([start, rest]) => ({ number: luhn(`${start}${rest}`.slice(0, length - 1)), cvv: '1234'.slice(0, rules.cvvLength) })),
  )

test('every card of every network fits the network contract', () => {
  fc.assert(
    fc.property(anyCard, ({ number, cvv }) => {
      const form = read({ card_number: number, card_cvv: cvv })
      if (isRefused(form)) throw new Error(`refused: ${JSON.stringify(form.errors)}`)
      const facts = { attempt_id: 'a', tr: 'T1', amount: '1.00', currency: 'INR', description: '', return_url: 'https://x' }
      const request: unknown = { ...facts, method: form.method, ...form.details }
      expect(startPayment(request)).toBe(true)
    }),
  )
})

test('a card number typed into any field is not in the form that is shown again', () => {
  const fields = fc.record({ card_number: anyField(), card_expiry: anyField(), card_cvv: anyField(), card_name: anyField() })
  fc.assert(
    fc.property(anyCard, fields, ({ number }, where) => {
      const put = (typed: string | null): string => typed ?? number
      const form = read({
        card_number: put(where.card_number),
        card_expiry: put(where.card_expiry),
        card_cvv: put(where.card_cvv),
        card_name: put(where.card_name),
      })
      if (isRefused(form)) expect(JSON.stringify(form)).not.toContain(number)
    }),
  )
})

/** `null` stands for the card number. */
function anyField() {
  return fc.option(fc.string({ maxLength: 40 }))
}
