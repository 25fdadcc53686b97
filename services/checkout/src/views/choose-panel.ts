import { formatCountdown, formatRupees, type OrderMethod, type TransactionView } from '@gateway/contracts'
import { html, type Html } from '@gateway/service-kit/http'
import { remainingMs, type PageState } from '../domain/page-state.ts'
import { hiddenMethodsText, wordsForRetry } from '../domain/words.ts'
import { bankForm } from './bank-form.ts'
import { cardForm, networkMarks } from './card-form.ts'
import type { PanelContext } from './panel-context.ts'
import { payByUpi } from './upi.ts'

type Choose = Extract<PageState, { kind: 'choose' }>

/** The order's payment methods, one open at a time. All of them work without a script. */
export function choosePanel(state: Choose, view: TransactionView, context: PanelContext): Html {
  const { words } = context
  // Cards and banks need a form, and a form needs a CSRF token.
  const methods = state.methods.filter((method) => method === 'upi' || context.csrf !== undefined)
  const open = context.form?.method ?? methods.find((method) => method === state.lastMethod) ?? methods[0]
  const down = hiddenMethodsText(state.outages.hiddenMethods, words)
  const items = methods.map(
    (method) =>
      html`<details class="method" name="method" ${method === open ? html` open` : undefined}>
        <summary><span class="dot"></span>${words.methods[method]}${method === 'card' ? networkMarks() : undefined}</summary>
        <div class="inside">
          ${state.outages.slowMethods.includes(method) ? html`<p class="notice" data-slow>${words.outages.slow}</p>` : undefined}
          ${contentOf(method, state, view, context)}
        </div>
      </details>`,
  )
  return html`${noticeOf(state, context)} ${down === '' ? undefined : html`<p class="notice" data-down>${down}</p>`}
    <div class="methods" role="group" aria-label="${words.methods.label}">${items}</div>
    ${timeLeft(view, context)}`
}

function contentOf(method: OrderMethod, { intent }: Choose, view: TransactionView, context: PanelContext): Html | undefined {
  const rupees = formatRupees(view.amount)
  if (method === 'card') return cardForm(rupees, context)
  if (method === 'netbanking') return bankForm(rupees, context)
  return intent === null ? undefined : payByUpi(intent, view, context)
}

function noticeOf({ earlierFailure }: Choose, { notice, words }: PanelContext): Html | undefined {
  const text = notice === undefined ? earlierFailure && wordsForRetry(earlierFailure, words) : words.notices[notice]
  return text === null ? undefined : html`<p class="notice">${text}</p>`
}

const IST_TIME = new Intl.DateTimeFormat('en-IN', { timeZone: 'Asia/Kolkata', hour: 'numeric', minute: '2-digit', hour12: true })

/** A countdown that the script updates, with the time when the payment expires. */
function timeLeft(view: TransactionView, { now, words }: PanelContext): Html {
  const leftMs = remainingMs(view, now)
  return html`<p class="until">
    <span id="time-left">${words.timeLeft}</span>
    <span class="timer" role="timer" aria-live="off" aria-labelledby="time-left" data-left-ms="${leftMs}"
      >${formatCountdown(leftMs)}</span
    >
    ${words.until(IST_TIME.format(new Date(view.expires_at)))}
  </p>`
}
