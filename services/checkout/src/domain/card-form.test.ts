import { hasValidCheckDigit, startPayment } from '@gateway/contracts'
import fc from 'fast-check'
import { CARD_NETWORKS } from './card-networks.ts'
import type { FormErrorCode } from './card-fields.ts'
import { isRefused, readPayForm, type FormField } from './card-form.ts'

const now = new Date('2026-03-15T12:00:00Z')
const good = { card_number: '4111 1111 1111 1111', card_expiry: '12/28', card_cvv: '123', card_name: 'Asha Rao' }
const read = (fields: object, environment: 'sandbox' | 'production' = 'sandbox', at = now) =>
  readPayForm('card', { ...good, ...fields }, { now: at, environment })
const readBank = (bank: unknown, environment: 'sandbox' | 'production' = 'sandbox') =>
  readPayForm('netbanking', { bank }, { now, environment })
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
])('%s change nothing', (_name, fields) => {
  expect(read(fields)).toEqual(read({}))
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
  ['a network that is not accepted', 'card_number', '3528000000000007', 'network_unsupported'],
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

const luhn = (body: string) => `${body}${'0123456789'.split('').find((digit) => hasValidCheckDigit(body + digit)) ?? ''}`
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
