import { assertNever, type OrderMethod } from '@gateway/contracts'
import type { Failure, PageState } from './page-state.ts'
import { ENGLISH, type Dictionary } from './words-en.ts'
import { HINDI } from './words-hi.ts'

/** Languages of the page, as BCP 47 tags for the `lang` attribute. */
export const LANGUAGES = ['en', 'hi'] as const
export type Language = (typeof LANGUAGES)[number]

/** Heading and first paragraph of a page. */
export interface Words {
  readonly title: string
  readonly text: string
}

const DICTIONARIES: Readonly<Record<Language, Dictionary>> = { en: ENGLISH, hi: HINDI }

/** A language with its texts. */
export interface InLanguage {
  readonly language: Language
  readonly words: Dictionary
}

export function inLanguage(language: Language): InLanguage {
  return { language, words: DICTIONARIES[language] }
}

export function isLanguage(value: unknown): value is Language {
  return LANGUAGES.some((language) => language === value)
}

/** The heading of the payment page, which is also its title, and the text below it. */
export function wordsFor(state: PageState, merchant: string, words: Dictionary): Words {
  switch (state.kind) {
    case 'choose':
      return { title: words.choose, text: '' }
    case 'no_method':
      return { title: words.noMethod.title, text: words.noMethod.text(merchant) }
    case 'all_down':
      return words.outages.all
    case 'waiting':
      return { title: words.waiting.title, text: isAtBank(state) ? words.waiting.atBank : words.waiting.inApp }
    case 'closing':
      return words.closing[state.why]
    case 'success':
      return { title: words.success.title, text: words.success.text(merchant) }
    case 'failed':
      return { title: words.failures[state.reason ?? 'unknown'].title, text: failureText(state, words) }
    default:
      return assertNever(state)
  }
}

/** A decline says why, when the network told it. */
function failureText({ reason, code }: Failure, words: Dictionary): string {
  if (reason === 'declined' && code !== null) return `${words.declines[code]} ${words.moneyComesBack}`
  return words.failures[reason ?? 'unknown'].text
}

/** Why the previous attempt failed, shown when another attempt is possible. */
export function wordsForRetry({ reason, code }: Failure, words: Dictionary): string {
  const why = reason === 'declined' ? words.declines[code ?? 'unknown'] : words.earlier[reason ?? 'unknown']
  return `${words.failures[reason ?? 'unknown'].title}${words.fullStop} ${why} ${words.tryAgain}`
}

/** True when the shopper pays on a page of the bank or card issuer, not in a UPI app. */
export function isAtBank(state: Extract<PageState, { kind: 'waiting' }>): boolean {
  return state.attempt !== null && state.attempt.method !== 'upi'
}

/** Which of the order's methods are not offered, because they are down; empty when every method is offered. */
export function hiddenMethodsText(hidden: readonly OrderMethod[], { outages, methods }: Dictionary): string {
  return hidden.length === 0 ? '' : outages.methods(hidden.map((method) => methods[method]).join(', '))
}
