import { orderMethodOf, type TransactionView } from '@gateway/contracts'
import { html, type Html } from '@gateway/service-kit/http'
import { returnLink } from '../domain/return-link.ts'
import type { Dictionary } from '../domain/words-en.ts'
import { factList } from './summary.ts'

/** After a final status the page returns to the merchant after this time, unless the shopper chooses to stay. */
const RETURN_AFTER_SECONDS = 10

/** The numbers by which merchant and bank find the payment, and a link back to the merchant if there is a return address. */
export function endOfPayment(view: TransactionView, words: Dictionary): Html {
  return html`${receipt(view, words)} ${wayBack(view, words)}
    <p class="hint small-print">${words.mayClose(view.merchant.name)}</p>`
}

function receipt({ id, status, method, rrn }: TransactionView, { receipt: words, methods }: Dictionary): Html {
  const isPaid = status === 'Success'
  return factList('facts receipt', [
    [words.transaction, id],
    ...(isPaid && rrn !== null ? [[words.bank, rrn] as const] : []),
    ...(isPaid && method !== null ? [[words.method, methods[orderMethodOf(method)]] as const] : []),
  ])
}

/** The script adds a countdown that can be stopped. */
function wayBack(view: TransactionView, words: Dictionary): Html | undefined {
  const link = returnLink(view)
  if (link === undefined) return undefined
  return html`<div class="back" data-return-seconds="${RETURN_AFTER_SECONDS}">
    <a class="button" href="${link}" rel="noreferrer" data-return>${words.back(view.merchant.name)}</a>
    <p class="hint" hidden data-return-text></p>
    <button class="button quiet" type="button" hidden data-stay>${words.stay}</button>
  </div>`
}
