import QRCode from 'qrcode'
import { formatRupees, type TransactionView } from '@gateway/contracts'
import { html, type Html } from '@gateway/service-kit/http'
import type { PanelContext, Platform } from './panel-context.ts'

/** A phone opens a UPI app; a desktop shows a QR code for the phone. This page learns the outcome from the network's report. */
export function payByUpi(intent: string, view: TransactionView, { words, platform, path }: PanelContext): Html {
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
      <a class="button quiet" href="${path}">${words.upi.checkWithoutScript}</a>
    </noscript>`
}

interface UpiApp {
  readonly name: string
  /** Android's package name, as in Google Play. */
  readonly androidPackage: string
  /** Replaces `upi://pay` on iOS, where each app has its own scheme. */
  readonly iosPrefix: string
}

/**
 * The most used UPI apps in India. Package names: Google Play. Schemes: Google Pay for iOS
 * (developers.google.com/pay/india/api/ios/in-app-payments), PhonePe, Paytm and BHIM as their acquirers document them
 * (juspay.io, "UPI intent on mobile web"; cybrilla.com, "UPI URI usage").
 */
const APPS: readonly UpiApp[] = [
  { name: 'Google Pay', androidPackage: 'com.google.android.apps.nbu.paisa.user', iosPrefix: 'gpay://upi/pay' },
  { name: 'PhonePe', androidPackage: 'com.phonepe.app', iosPrefix: 'phonepe://pay' },
  { name: 'Paytm', androidPackage: 'net.one97.paytm', iosPrefix: 'paytmmp://pay' },
  { name: 'BHIM', androidPackage: 'in.org.npci.upiapp', iosPrefix: 'bhim://pay' },
]

/** One link per app; `undefined` on platforms where apps have no addresses. */
export function appChoices(intent: string, platform: Platform, label: string): Html | undefined {
  if (platform === 'other') return undefined
  const items = APPS.map(
    (app) =>
      html`<li>
        <a href="${addressOf(app, intent, platform)}"
          ><span class="initial" aria-hidden="true">${app.name.charAt(0)}</span>${app.name}</a
        >
      </li>`,
  )
  return html`<p class="hint" id="upi-apps">${label}</p>
    <ul class="apps" aria-labelledby="upi-apps">
      ${items}
    </ul>`
}

/** Android: an intent URL (developer.chrome.com/docs/android/intents); if the app is missing, it opens the store. */
function addressOf(app: UpiApp, intent: string, platform: 'android' | 'ios'): string {
  const query = intent.slice(intent.indexOf('?'))
  return platform === 'ios' ? app.iosPrefix + query : `intent://pay${query}#Intent;scheme=upi;package=${app.androidPackage};end`
}

/** Blank modules around the code; ISO/IEC 18004 requires four. */
const QUIET_ZONE = 4

/** A QR code as an inline SVG with a single path, black on white in light and dark mode. */
function qrCode(text: string, label: string): Html {
  const { modules } = QRCode.create(text, { errorCorrectionLevel: 'M' })
  const side = modules.size + 2 * QUIET_ZONE
  const rows = Array.from({ length: modules.size }, (_row, y) =>
    runs(Array.from({ length: modules.size }, (_column, x) => Boolean(modules.get(y, x))))
      .map(({ from, length }) => `M${from + QUIET_ZONE} ${y + QUIET_ZONE}h${length}v1h-${length}z`)
      .join(''),
  )
  return html`<svg class="qr" viewBox="0 0 ${side} ${side}" role="img" aria-label="${label}" shape-rendering="crispEdges">
    <path fill="#fff" d="M0 0h${side}v${side}H0z" />
    <path fill="#000" d="${rows.join('')}" />
  </svg>`
}

/** Joins adjacent dark modules, which halves the size. */
function runs(dark: readonly boolean[]): { from: number; length: number }[] {
  const starts = dark.flatMap((isDark, x) => (isDark && dark[x - 1] !== true ? [x] : []))
  return starts.map((from) => {
    const end = dark.indexOf(false, from)
    return { from, length: (end === -1 ? dark.length : end) - from }
  })
}
