import { html, type Html } from '@gateway/service-kit/http'

/** What a browser runs on, as far as it decides which apps can be opened by name. */
export type Platform = 'android' | 'ios' | 'other'

interface UpiApp {
  readonly name: string
  readonly initial: string
  /** Android's package name, as in Google Play. */
  readonly androidPackage: string
  /** What replaces `upi://pay` on iOS, where each app has a scheme of its own. */
  readonly iosPrefix: string
}

/**
 * The apps that most people in India pay with. Package names: Google Play. Schemes: Google Pay for iOS
 * (developers.google.com/pay/india/api/ios/in-app-payments), PhonePe, Paytm and BHIM as their acquirers document them
 * (juspay.io, "UPI intent on mobile web"; cybrilla.com, "UPI URI usage").
 */
const APPS: readonly UpiApp[] = [
  { name: 'Google Pay', initial: 'G', androidPackage: 'com.google.android.apps.nbu.paisa.user', iosPrefix: 'gpay://upi/pay' },
  { name: 'PhonePe', initial: 'P', androidPackage: 'com.phonepe.app', iosPrefix: 'phonepe://pay' },
  { name: 'Paytm', initial: 'P', androidPackage: 'net.one97.paytm', iosPrefix: 'paytmmp://pay' },
  { name: 'BHIM', initial: 'B', androidPackage: 'in.org.npci.upiapp', iosPrefix: 'bhim://pay' },
]

/** Anything that is not plainly an Android phone or an iPhone is `other`, and gets what every device understands. */
export function platformOf(userAgent: string | undefined): Platform {
  if (userAgent === undefined) return 'other'
  if (/Android/u.test(userAgent)) return 'android'
  return /iPhone|iPad|iPod/u.test(userAgent) ? 'ios' : 'other'
}

/** Links that open one app each; nothing where apps have no address of their own. */
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

/** Android: an intent URL (developer.chrome.com/docs/android/intents); without the app it opens the app's page in the store. */
function addressOf(app: UpiApp, intent: string, platform: 'android' | 'ios'): string {
  const query = intent.slice(intent.indexOf('?'))
  return platform === 'ios' ? app.iosPrefix + query : `intent://pay${query}#Intent;scheme=upi;package=${app.androidPackage};end`
}
