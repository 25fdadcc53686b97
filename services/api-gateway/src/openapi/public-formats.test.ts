import fc from 'fast-check'
import { compile, createOrderSchema, registerEndpointSchema } from '@gateway/contracts'
import { ORDER_AMOUNT_PATTERN } from '../operations/orders.ts'
import { withPublicFormats } from './public-formats.ts'

const patternOf = (schema: object): RegExp => {
  const { pattern } = withPublicFormats(schema) as { pattern?: string }
  return new RegExp(pattern ?? '(?!)', 'u')
}
const field = (format: string) => ({ type: 'string', format }) as const
const isAccepted = (format: string) => compile(field(format))

// Proves: api/refusals-are-described
test.each(['https-url', 'return-url-sandbox', 'date-time', 'plain-text', 'phone'])(
  'what matches the public pattern of %s is accepted',
  (format) => {
    const accepts = isAccepted(format)
    const matching = fc.stringMatching(new RegExp(patternOf(field(format)).source))
    fc.assert(
      fc.property(matching, (text) => {
        // Texts in UTF-8 have no half of a surrogate pair.
        fc.pre(text.isWellFormed())
        // A pattern cannot count the days of a month.
        fc.pre(format !== 'date-time' || Number(text.slice(8, 10)) <= 28)
        return accepts(text)
      }),
    )
  },
)

// Proves: api/refusals-are-described
test.each([
  ['https-url', 'https://merchant.example/hooks?a=1&b=%20', true],
  ['https-url', 'http://merchant.example/hooks', false],
  ['https-url', 'https://merchant.example*', false],
  ['https-url', 'https://user@merchant.example/', false],
  ['https-url', 'https://merchant.example\\@evil.example', false],
  ['return-url-sandbox', 'http://localhost?paid=1', true],
  ['return-url-sandbox', 'http://localhost.evil.example/', false],
  ['date-time', '2026-11-21T10:00:00Z', true],
  ['date-time', '2026-11-21', false],
  ['plain-text', 'नीली कमीज़ 👕', true],
  ['plain-text', 'a\u0000b', false],
  ['phone', '+91-98765 43210', true],
  ['phone', '09876543210', true],
  ['phone', '+14155552671', true],
  ['phone', '0919876543210', true],
  ['phone', 'tel:+91-98765_43210', true],
  ['phone', '+91 22 2345 6789', true],
  ['phone', '12345', false],
  ['plain-text', 'pay \u202e001 to', false],
])('%s: %j', (format, text, matches) => {
  expect(patternOf(field(format)).test(text)).toBe(matches)
})

// Proves: api/refusals-are-described
test("the pattern of an order's amount has its default bounds", () => {
  const regex = new RegExp(ORDER_AMOUNT_PATTERN, 'u')
  const amounts = fc.stringMatching(/^(0|[1-9]\d{0,7})(\.\d{1,2})?$/u)
  const isWithin = (amount: string): boolean => Number(amount) >= 1 && Number(amount) <= 10_000_000
  fc.assert(fc.property(amounts, (amount) => regex.test(amount) === isWithin(amount)))
  for (const amount of ['0.99', '1', '1.00', '10000000.00', '10000000.01']) expect(regex.test(amount)).toBe(isWithin(amount))
})

test('formats are described at every level, and nothing else changes', () => {
  const schema = { type: 'object', properties: { url: { ...field('https-url'), maxLength: 9 }, format: { enum: ['a', null] } } }
  expect(withPublicFormats([schema])).toMatchObject([
    {
      type: 'object',
      properties: { url: { pattern: expect.stringContaining('https://'), maxLength: 9 }, format: { enum: ['a', null] } },
    },
  ])
  for (const known of [createOrderSchema({ sandbox: true }), registerEndpointSchema])
    expect(JSON.stringify(withPublicFormats(known))).not.toMatch(/plain-text|https-url|return-url-sandbox|"format":"phone"/u)
})
