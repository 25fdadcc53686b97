import type { OrderMethod } from '@gateway/contracts'
import { html, type Html } from '@gateway/service-kit/http'
import type { Bank } from '../domain/banks.ts'
import { dictionary, type Language } from '../domain/words.ts'

/** Says which of the order's methods are not offered, because they are down. */
export function hiddenMethodsNotice(hidden: readonly OrderMethod[], language: Language): Html | undefined {
  const text = hiddenMethodsText(hidden, language)
  return text === '' ? undefined : html`<p class="notice" data-down>${text}</p>`
}

/** The same as text; empty when every method is offered. */
export function hiddenMethodsText(hidden: readonly OrderMethod[], language: Language): string {
  const { outages, methods } = dictionary(language)
  return hidden.length === 0 ? '' : outages.methods(hidden.map((method) => methods[method]).join(', '))
}

/** Warns inside a method that payments may fail. */
export function slowMethodNotice(language: Language): Html {
  return html`<p class="notice" data-slow>${dictionary(language).outages.slow}</p>`
}

/** Says which banks are not listed, and which may fail. */
export function bankNotices(hidden: readonly Bank[], slow: readonly Bank[], language: Language): Html | undefined {
  const { outages } = dictionary(language)
  const names = (banks: readonly Bank[]): string => banks.map(({ name }) => name[language]).join(', ')
  if (hidden.length + slow.length === 0) return undefined
  return html`${hidden.length > 0 ? html`<p class="notice" data-down>${outages.banks(names(hidden))}</p>` : undefined}
  ${slow.length > 0 ? html`<p class="notice" data-slow>${outages.slowBanks(names(slow))}</p>` : undefined}`
}
