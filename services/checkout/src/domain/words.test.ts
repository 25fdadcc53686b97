import { FAILURE_CODES, FAILURE_REASONS } from '@gateway/contracts'
import { inLanguage, isLanguage, LANGUAGES, wordsFor, wordsForRetry } from './words.ts'

/** Every text of a dictionary with its path; functions are called with sample values. */
function textsOf(words: object, path = ''): [string, string][] {
  return Object.entries(words).flatMap(([key, value]: [string, unknown]): [string, string][] => {
    const here = `${path}/${key}`
    if (typeof value === 'string') return [[here, value]]
    if (typeof value === 'function') return [[here, (value as (...sample: string[]) => string)('Sample', 'Shop')]]
    return typeof value === 'object' && value !== null ? textsOf(value, here) : []
  })
}
const [english, hindi] = LANGUAGES.map((language) => textsOf(inLanguage(language).words))

test('both languages have the same keys, no empty text, and the same placeholders and samples', () => {
  expect(hindi?.map(([key]) => key)).toEqual(english?.map(([key]) => key))
  for (const [index, [key, text]] of (english ?? []).entries()) {
    const translated = hindi?.[index]?.[1] ?? ''
    for (const kept of ['{n}', 'Sample', 'Shop', '08/29']) {
      expect([key, translated.includes(kept)]).toEqual([key, text.includes(kept)])
    }
    expect(text).not.toBe('')
  }
})

test('Hindi texts use Latin letters only for terms that are printed on cards', () => {
  for (const [key, text] of hindi ?? []) {
    if (key === '/fullStop') continue
    expect(text).toMatch(/[ऀ-ॿ]/u)
    const latin = text.match(/[A-Za-z]{2,}/gu) ?? []
    expect([key, latin.filter((word) => !['UPI', 'CVV', 'OTP', 'RRN', 'MM', 'YY', 'Sample', 'Shop'].includes(word))]).toEqual([
      key,
      [],
    ])
  }
})

test.each(LANGUAGES)('every failure reason has its own text in %s, and no text shows a code', (language) => {
  const words = [...FAILURE_REASONS, null].map((reason) =>
    wordsFor({ kind: 'failed', reason, code: null }, 'Shop', inLanguage(language).words),
  )
  expect(new Set(words.map(({ text }) => text)).size).toBe(FAILURE_REASONS.length + 1)
  const retries = FAILURE_REASONS.map((reason) => wordsForRetry({ reason, code: null }, inLanguage(language).words))
  expect(new Set(retries).size).toBe(FAILURE_REASONS.length)
  for (const text of [...words.map(({ title, text: more }) => title + more), ...retries]) expect(text).not.toMatch(/_|undefined/u)
})

// Proves: page/decline-in-words
test.each(LANGUAGES)(
  'every reason of a decline has its own words in %s, in the end and when another attempt is possible',
  (language) => {
    const failures = FAILURE_CODES.map((code) => ({ reason: 'declined', code }) as const)
    for (const texts of [
      failures.map((failure) => wordsFor({ kind: 'failed', ...failure }, 'Shop', inLanguage(language).words).text),
      failures.map((failure) => wordsForRetry(failure, inLanguage(language).words)),
    ]) {
      expect(new Set(texts).size).toBe(FAILURE_CODES.length)
      for (const text of texts) expect(text).not.toMatch(/_|undefined/u)
    }
  },
)

test('what the network said of an earlier attempt is no reason of an order that ended otherwise', () => {
  const { text } = wordsFor({ kind: 'failed', reason: 'expired', code: 'insufficient_funds' }, 'Shop', inLanguage('en').words)
  expect(text).not.toContain('enough money')
})

test('a waiting page names the bank after a card payment, and the UPI app after a UPI payment', () => {
  const text = (method: 'upi' | 'credit_card' | undefined): string => {
    const attempt = method === undefined ? null : { id: 'A1', method }
    return wordsFor({ kind: 'waiting', attempt, canSwitch: false }, 'Shop', inLanguage('en').words).text
  }
  expect(text('credit_card')).toContain('bank’s page')
  expect(text('upi')).toContain('UPI app')
  expect(text(undefined)).toContain('UPI app')
})

test('only supported languages are accepted', () => {
  expect([isLanguage('hi'), isLanguage('en'), isLanguage('fr'), isLanguage(['hi']), isLanguage(undefined)]).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})
