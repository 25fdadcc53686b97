import { formatRupees, type TransactionView } from '@gateway/contracts'
import { html, type Html } from '@gateway/service-kit/http'
import type { Dictionary } from '../domain/words-en.ts'

/** Characters; longer amounts use a smaller font. */
const LONGEST_LARGE_AMOUNT = 10

/** Merchant, amount, description and order: the part of the page that does not change. It shows nothing about the payer. */
export function summary(
  { merchant, amount, description, order_id: orderId }: TransactionView,
  { summary: words }: Dictionary,
): Html {
  const rupees = formatRupees(amount)
  return html`<section class="summary" aria-label="${words.amount}">
    <p class="merchant">
      <span class="badge" aria-hidden="true">${initialOf(merchant.name)}</span>
      <span><span class="to">${words.paying}</span> <strong>${merchant.name}</strong></span>
    </p>
    <p class="${rupees.length > LONGEST_LARGE_AMOUNT ? 'amount long' : 'amount'}">
      <span class="hidden">${words.amount}: </span>${rupees}
    </p>
    ${factList('facts', [...(description === '' ? [] : [[words.for, description] as const]), [words.order, orderId]])}
  </section>`
}

/** Names with their values. */
export function factList(style: string, facts: readonly (readonly [name: string, value: string])[]): Html {
  const items = facts.map(
    ([name, value]) =>
      html`<div>
        <dt>${name}</dt>
        <dd>${value}</dd>
      </div>`,
  )
  return html`<dl class="${style}">${items}</dl>`
}

const LETTERS = new Intl.Segmenter('en', { granularity: 'grapheme' })

function initialOf(name: string): string | undefined {
  const [first] = LETTERS.segment(name.trim())
  return first?.segment.toUpperCase()
}
