import type { TransactionView } from '@gateway/contracts'
import { html, type Html } from '@gateway/service-kit/http'
import { returnLink } from '../domain/return-link.ts'
import { dictionary, type Language } from '../domain/words.ts'

/** After a final status the shopper is taken back to the shop, unless they say that they stay. */
const RETURN_AFTER_SECONDS = 10

/** Back to the shop: a link, and with a script a countdown that can be stopped. Nothing without the merchant's address. */
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
