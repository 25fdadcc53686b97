import { CARD_NETWORKS } from '@gateway/contracts'
import { html, type Html } from '@gateway/service-kit/http'
import type { FormField } from '../domain/card-form.ts'
import { entered, errorSummary, field, formStart, type Field } from './fields.ts'
import { networkMark } from './icons.ts'
import type { PanelContext } from './panel-context.ts'

/**
 * Number, expiry, CVV and name of a card, with the names that browsers autofill (WHATWG HTML, autofill). `maxlength` leaves room
 * for whatever separates the digits of a pasted text. The number and the CVV are never sent back to the browser.
 */
export function cardForm(rupees: string, context: PanelContext): Html {
  const { words } = context
  const { errors, values } = entered('card', context)
  const input = (name: FormField, label: string, more: Omit<Field, 'name' | 'label' | 'errors'>): Html =>
    field({ name, label, errors, ...more }, words)
  return formStart(
    'card',
    context,
    html`${errorSummary(errors, words)}
      ${input('card_number', words.card.number, {
        attributes: html`inputmode="numeric" autocomplete="cc-number" maxlength="64" spellcheck="false"`,
        mark: html`<span class="network" aria-live="polite" data-network></span>`,
      })}
      <div class="pair">
        ${input('card_expiry', words.card.expiry, {
          value: values.expiry,
          attributes: html`inputmode="numeric" autocomplete="cc-exp" maxlength="20" placeholder="MM/YY"`,
        })}
        ${input('card_cvv', words.card.cvv, {
          hintId: 'card_cvv-hint',
          attributes: html`class="secret" inputmode="numeric" autocomplete="cc-csc" maxlength="20" spellcheck="false"`,
        })}
      </div>
      <p class="hint" id="card_cvv-hint">${words.card.cvvHint}</p>
      ${input('card_name', words.card.name, {
        value: values.name,
        attributes: html`autocomplete="cc-name" maxlength="100" autocapitalize="words" spellcheck="false"`,
      })}
      <button class="button">${words.pay(rupees)}</button>
      <p class="hint next">${words.card.next}</p>
      <p class="hint taken">
        ${words.card.accepted}
        ${CARD_NETWORKS.filter(({ id }) => networkMark(id))
          .map(({ name }) => name)
          .join(', ')}
      </p>`,
  )
}

/** Small network marks beside the name of the method; the form lists the networks as text. */
export function networkMarks(): Html {
  return html`<span class="marks" aria-hidden="true"
    >${(['visa', 'mastercard', 'rupay'] as const).map((network) => networkMark(network))}</span
  >`
}
