import type { TransactionView } from '@gateway/contracts'
import { html, type Html } from '@gateway/service-kit/http'
import { remainingMs } from '../domain/page-state.ts'
import { formatCountdown, formatIstTime } from '../domain/rupees.ts'
import { dictionary } from '../domain/words.ts'
import type { PanelContext } from './panel-context.ts'

/** The time when the payment expires, with a countdown that the script updates. */
export function timeLeft(view: TransactionView, { now, language }: PanelContext): Html {
  const words = dictionary(language)
  const leftMs = remainingMs(view, now)
  return html`<p class="until">
    ${words.payBefore(formatIstTime(new Date(view.expires_at)))}
    <span class="timer" role="timer" aria-live="off" aria-label="${words.timeLeft}" data-left-ms="${leftMs}"
      >${formatCountdown(leftMs)}</span
    >
  </p>`
}
