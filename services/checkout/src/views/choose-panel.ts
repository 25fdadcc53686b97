import { formatRupees, type OrderMethod, type TransactionView } from '@gateway/contracts'
import { html, type Html } from '@gateway/service-kit/http'
import type { PageState } from '../domain/page-state.ts'
import { dictionary, wordsForRetry } from '../domain/words.ts'
import { bankForm } from './bank-form.ts'
import { cardForm, networkMarks } from './card-form.ts'
import { hiddenMethodsNotice, slowMethodNotice } from './outage-notices.ts'
import type { PanelContext } from './panel-context.ts'
import { timeLeft } from './time-left.ts'
import { payByUpi } from './upi.ts'

type Choose = Extract<PageState, { kind: 'choose' }>

/** The order's payment methods, one open at a time. All of them work without a script. */
export function choosePanel(state: Choose, view: TransactionView, context: PanelContext): Html {
  const words = dictionary(context.language)
  // Cards and banks need a form, and a form needs a CSRF token.
  const methods = state.methods.filter((method) => method === 'upi' || context.csrf !== undefined)
  const open = context.form?.method ?? methods.find((method) => method === state.lastMethod) ?? methods[0]
  const items = methods.map(
    (method) =>
      html`<details class="method" name="method" ${method === open ? html` open` : undefined}>
        <summary><span class="dot"></span>${words.methods[method]}${method === 'card' ? networkMarks() : undefined}</summary>
        <div class="inside">${warningOf(method, state, context)} ${contentOf(method, state, view, context)}</div>
      </details>`,
  )
  return html`${noticeOf(state, context)} ${hiddenMethodsNotice(state.outages.hiddenMethods, context.language)}
    <div class="methods" role="group" aria-label="${words.methods.label}">${items}</div>
    ${timeLeft(view, context)}`
}

function warningOf(method: OrderMethod, { outages }: Choose, { language }: PanelContext): Html | undefined {
  return outages.slowMethods.includes(method) ? slowMethodNotice(language) : undefined
}

function contentOf(method: OrderMethod, { intent }: Choose, view: TransactionView, context: PanelContext): Html | undefined {
  const rupees = formatRupees(view.amount)
  if (method === 'card') return cardForm(rupees, context)
  if (method === 'netbanking') return bankForm(rupees, context)
  return intent === null ? undefined : payByUpi(intent, view, context)
}

function noticeOf({ earlierFailure }: Choose, { notice, language }: PanelContext): Html | undefined {
  if (notice !== undefined) return html`<p class="notice">${dictionary(language).notices[notice]}</p>`
  return earlierFailure === null ? undefined : html`<p class="notice">${wordsForRetry(earlierFailure, language)}</p>`
}
