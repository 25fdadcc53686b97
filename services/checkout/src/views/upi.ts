import { formatRupees, type TransactionView } from '@gateway/contracts'
import { html, type Html } from '@gateway/service-kit/http'
import { dictionary } from '../domain/words.ts'
import type { PanelContext } from './panel-context.ts'
import { qrCode } from './qr.ts'
import { appChoices } from './upi-apps.ts'

/** A phone opens a UPI app; a desktop shows a QR code for the phone. This page learns the outcome from the network's report. */
export function payByUpi(intent: string, view: TransactionView, { language, platform, token }: PanelContext): Html {
  const words = dictionary(language)
  const code = html`<div class="scan">${qrCode(intent, words.upi.qrLabel(formatRupees(view.amount), view.merchant.name))}</div>`
  const onPhone = platform !== 'other'
  return html`<div class="app">
      <a class="button" href="${intent}">${words.upi.open}</a>
      ${appChoices(intent, platform, words.upi.apps)}
      <p class="hint">${words.upi.approve}</p>
    </div>
    ${
      onPhone
        ? html`<details class="more">
            <summary>${words.upi.qrOnPhone}</summary>
            ${code}
          </details>`
        : html`${code}
            <p class="hint">${words.upi.scan}</p>`
    }
    <noscript>
      <a class="button quiet" href="/checkout/${token}">${words.upi.checkWithoutScript}</a>
    </noscript>`
}
