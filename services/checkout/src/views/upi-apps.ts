import { html, type Html } from '@gateway/service-kit/http'

/** The browser's platform; it decides how a UPI app can be opened by name. */
export type Platform = 'android' | 'ios' | 'other'

interface UpiApp {
  readonly name: string
  readonly initial: string
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
  { name: 'Google Pay', initial: 'G', androidPackage: 'com.google.android.apps.nbu.paisa.user', iosPrefix: 'gpay://upi/pay' },
  { name: 'PhonePe', initial: 'P', androidPackage: 'com.phonepe.app', iosPrefix: 'phonepe://pay' },
  { name: 'Paytm', initial: 'P', androidPackage: 'net.one97.paytm', iosPrefix: 'paytmmp://pay' },
  { name: 'BHIM', initial: 'B', androidPackage: 'in.org.npci.upiapp', iosPrefix: 'bhim://pay' },
]

/** `other`, which gets only what every device supports, unless the browser is clearly on Android or iOS. */
export function platformOf(userAgent: string | undefined): Platform {
  if (userAgent === undefined) return 'other'
  if (/Android/u.test(userAgent)) return 'android'
  return /iPhone|iPad|iPod/u.test(userAgent) ? 'ios' : 'other'
}

/** One link per app; `undefined` on platforms where apps have no addresses. */
export function appChoices(intent: string, platform: Platform, label: string): Html | undefined {
  if (platform === 'other') return undefined
  const items = APPS.map(
    (app) =>
      html`<li>
        <a href="${addressOf(app, intent, platform)}"
          ><span class="initial" aria-hidden="true">${app.initial}</span>${app.name}</a
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
