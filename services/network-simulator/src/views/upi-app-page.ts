import { formatPaise, formatRupees, type NetworkOutcome } from '@gateway/contracts'
import { html, type Html } from '@gateway/service-kit/http'
import type { Payment } from '../domain/payment.ts'
import type { UpiScenario } from '../domain/instruments.ts'
import type { RefundBehaviour } from '../domain/refund.ts'
import { layout } from './layout.ts'

const WHO = 'Sandbox UPI app'

/** Description of each VPA that a tester can choose. */
const ABOUT: Readonly<Record<UpiScenario, string>> = {
  success: 'Paid at once',
  failure: 'Declined: insufficient funds',
  slow: 'Pending, paid after three seconds',
  pending: 'Pending until you approve or decline it here',
  duplicate: 'Paid, and reported five times',
  reordered: 'Paid; “pending” is reported after “success”',
  mismatch: 'Another amount is paid, and goes back',
  late: 'Paid when the order has ended, and goes back',
  silent: 'Paid, and never reported: the gateway must ask',
  twice: 'Paid twice; the second one goes back',
}

/** A text for each payer whose refunds do not succeed immediately. */
const ABOUT_REFUNDS: Readonly<Record<Exclude<RefundBehaviour, 'at_once'>, string>> = {
  slow: 'Refunds are pending for three seconds',
  pending: 'Refunds are pending until a tester decides',
  refused: 'Refunds are refused',
  lost: 'Refunds are made, but the first answer is lost',
  silent: 'Refunds are never reported: the gateway must ask',
  duplicate: 'Refunds are reported five times',
  insufficient: 'Refunds wait for the merchant’s balance, until a tester decides',
  returned: 'Refunds come back from the bank after three seconds',
}

export interface PayForm {
  readonly intent: string
  readonly vpa: string
  readonly problem?: string | undefined
}

/** The form where a tester pays a UPI link. */
export function payPage({ intent, vpa, problem }: PayForm, nonce: string): Html {
  const content = html`<p class="text">
      Paste <code>checkout.intent</code> of the order, or the link behind “Open UPI app” on the payment page of a phone.
    </p>
    <form method="post" action="/sandbox/upi" autocomplete="off">
      ${problem === undefined ? undefined : html`<p class="error" id="problem" role="alert">${problem}</p>`}
      <div class="field">
        <label for="intent">UPI link</label>
        <textarea
          id="intent"
          name="intent"
          maxlength="2000"
          required
          spellcheck="false"
          ${problem === undefined ? undefined : html`aria-describedby="problem"`}
        >
${intent}</textarea>
      </div>
      <fieldset class="field">
        <legend>Pay as</legend>
        ${Object.entries(ABOUT).map(([scenario, about]) => choice(`${scenario}@sandbox`, about, vpa))}
      </fieldset>
      <fieldset class="field">
        <legend>Pay at once, and try refunds</legend>
        ${Object.entries(ABOUT_REFUNDS).map(([behaviour, about]) => choice(`success.${behaviour}-refund@sandbox`, about, vpa))}
      </fieldset>
      <button class="button first">Pay</button>
    </form>`
  return layout({ title: 'Pay by UPI', who: WHO, content }, nonce)
}

function choice(vpa: string, about: string, chosen: string): Html {
  return html`<label class="choice">
    <input type="radio" name="vpa" value="${vpa}" ${vpa === chosen ? html`checked` : undefined} />
    <span>${vpa}<span>${about}</span></span>
  </label>`
}

/** The state of a payment; a pending one can be decided here. */
export function paidPage(payment: Payment, nonce: string): Html {
  const { title, text } = STATES[payment.outcome]
  const amount = formatRupees(formatPaise(payment.amount_paise))
  const summary = html`<p class="amount"><span class="hidden">Amount: </span>${amount}</p>
    <dl class="facts">
      <dt>From</dt>
      <dd>${payment.payer?.vpa ?? ''}</dd>
      <dt>Reference</dt>
      <dd>${payment.reference}</dd>
    </dl>`
  const decide = html`<form method="post">
    <button class="button first" name="outcome" value="success">Approve</button>
    <button class="button" name="outcome" value="failure">Decline</button>
  </form>`
  const content = html`<p class="text">${text}</p>
    ${payment.outcome === 'pending' ? decide : undefined}
    <a class="button" href="/sandbox/upi">Pay another link</a>`
  return layout({ title, who: WHO, summary, content }, nonce)
}

/** The page for an unknown payment. */
export function noPaymentPage(nonce: string): Html {
  const content = html`<p class="text">This app knows no such payment.</p>
    <a class="button" href="/sandbox/upi">Pay a link</a>`
  return layout({ title: 'Not found', who: WHO, content }, nonce)
}

const STATES: Readonly<Record<NetworkOutcome, { readonly title: string; readonly text: string }>> = {
  success: { title: 'Paid', text: 'The bank has taken the money. The shop is told in a moment.' },
  failed: { title: 'Not paid', text: 'The bank says that this payment has failed.' },
  pending: { title: 'Pending', text: 'The bank has not decided yet.' },
}
