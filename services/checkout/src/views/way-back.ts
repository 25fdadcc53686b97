import type { TransactionView } from '@gateway/contracts'
import { html, type Html } from '@gateway/service-kit/http'
import { returnLink } from '../domain/return-link.ts'
import { dictionary, type Language } from '../domain/words.ts'

/** After a final status the page returns to the merchant after this time, unless the shopper chooses to stay. */
const RETURN_AFTER_SECONDS = 10

/** A link back to the merchant; the script adds a countdown that can be stopped. `undefined` without a return address. */
export function wayBack(view: TransactionView, language: Language): Html | undefined {
  const words = dictionary(language)
  const link = returnLink(view)
  if (link === undefined) return undefined
  return html`<div class="back" data-return-seconds="${RETURN_AFTER_SECONDS}">
    <a class="button" href="${link}" rel="noreferrer" data-return>${words.back(view.merchant.name)}</a>
    <p class="hint" hidden data-return-text></p>
    <button class="button quiet" type="button" hidden data-stay>${words.stay}</button>
    <p class="hint small-print">${words.backHint(view.merchant.name)}</p>
  </div>`
}
