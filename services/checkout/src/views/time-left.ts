import { formatCountdown, type TransactionView } from '@gateway/contracts'
import { html, type Html } from '@gateway/service-kit/http'
import { remainingMs } from '../domain/page-state.ts'
import { dictionary } from '../domain/words.ts'
import type { PanelContext } from './panel-context.ts'

const IST_TIME = new Intl.DateTimeFormat('en-IN', { timeZone: 'Asia/Kolkata', hour: 'numeric', minute: '2-digit', hour12: true })

/** A countdown that the script updates, with the time when the payment expires. */
export function timeLeft(view: TransactionView, { now, language }: PanelContext): Html {
  const words = dictionary(language)
  const leftMs = remainingMs(view, now)
  return html`<p class="until">
    <span id="time-left">${words.timeLeft}</span>
    <span class="timer" role="timer" aria-live="off" aria-labelledby="time-left" data-left-ms="${leftMs}"
      >${formatCountdown(leftMs)}</span
    >
    ${words.until(IST_TIME.format(new Date(view.expires_at)))}
  </p>`
}
