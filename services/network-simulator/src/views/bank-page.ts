import { formatCountdown, formatPaise, formatRupees } from '@gateway/contracts'
import { html, type Html } from '@gateway/service-kit/http'
import { MAX_RESENDS, MAX_WRONG_OTPS, SANDBOX_OTP } from '../domain/decide.ts'
import type { Payment } from '../domain/payment.ts'
import type { BankVisit } from '../use-cases/decide-payment.ts'
import { layout } from './layout.ts'

const WHO = { issuer: 'Sandbox issuer', bank: 'Sandbox bank' } as const
const TITLE = 'Confirm your payment'

/** The open page: an issuer asks for the one-time password, a bank lets the tester choose the outcome. */
export function openPage(visit: BankVisit, nonce: string, error?: string): Html {
  const { page, leftMs } = visit
  const content = html`${page.kind === 'issuer' ? otpForm(visit, error) : choiceForm()}
    <p class="until">
      This page closes in
      <span role="timer" aria-live="off" aria-label="Time left" data-left-ms="${leftMs}">${formatCountdown(leftMs)}</span>
    </p>
    <p class="hidden" role="status" data-announce></p>`
  return layout({ title: TITLE, who: WHO[page.kind], summary: summaryOf(visit), content, hasTimer: true }, nonce)
}

/** The page after the payment is decided or its time is over. */
export function closedPage(visit: BankVisit, nonce: string): Html {
  const { payment, page } = visit
  const { title, text } = endOf(payment)
  const content = html`<p class="text">${text}</p>
    <a class="button first" href="${page.return_url}" rel="noreferrer">Back to the payment page</a>`
  return layout({ title, who: WHO[page.kind], summary: summaryOf(visit), content }, nonce)
}

/** The page for an unknown address. */
export function unknownPage(nonce: string): Html {
  const content = html`<p class="text">This address is not valid. Go back to the payment page and start again.</p>`
  return layout({ title: 'Not found', who: WHO.bank, content }, nonce)
}

function summaryOf({ payment, page }: BankVisit): Html {
  return html`<p class="amount"><span class="hidden">Amount: </span>${formatRupees(formatPaise(payment.amount_paise))}</p>
    <dl class="facts">
      <dt>${page.kind === 'issuer' ? 'Card' : 'Bank'}</dt>
      <dd>${payment.instrument ?? ''}</dd>
      ${
        page.description === ''
          ? undefined
          : html`<dt>For</dt>
              <dd>${page.description}</dd>`
      }
    </dl>`
}

function otpForm({ page }: BankVisit, error: string | undefined): Html {
  const problem = error ?? (page.notice === 'wrong_otp' ? wordsForWrongOtp(MAX_WRONG_OTPS - page.wrong_otps) : undefined)
  return html`<p class="text">Type the one-time password that your bank has sent to your phone.</p>
    <p class="note">
      In the sandbox nothing is sent: <code>${SANDBOX_OTP}</code> is right, everything else is wrong, and the third wrong one
      declines the payment.
    </p>
    ${page.notice === 'resent' && problem === undefined ? html`<p class="note" role="status">A new one-time password was sent.</p>` : undefined}
    <form method="post" autocomplete="off">
      ${problem === undefined ? undefined : html`<p class="error" id="problem" role="alert">${problem}</p>`}
      <div class="field">
        <label for="otp">One-time password</label>
        <input
          class="otp"
          id="otp"
          name="otp"
          type="text"
          inputmode="numeric"
          autocomplete="one-time-code"
          pattern="[0-9]{6}"
          title="Six digits"
          maxlength="6"
          required
          aria-describedby="${problem === undefined ? 'otp-hint' : 'problem otp-hint'}"
          ${problem === undefined ? undefined : html`aria-invalid="true" autofocus`}
        />
        <p class="hint" id="otp-hint">Six digits</p>
      </div>
      <button class="button first" name="action" value="otp">Submit</button>
      ${
        page.resends < MAX_RESENDS
          ? html`<button class="button quiet" name="action" value="resend" formnovalidate>Send a new one-time password</button>`
          : html`<p class="until">No more one-time passwords can be sent.</p>`
      }
      <button class="button" name="action" value="cancel" formnovalidate>Cancel</button>
    </form>`
}

function wordsForWrongOtp(left: number): string {
  return `That one-time password is wrong. ${left === 1 ? 'One try is' : `${left} tries are`} left.`
}

function choiceForm(): Html {
  return html`<p class="text">You have signed in to net banking. How should this payment end?</p>
    <form method="post">
      <button class="button first" name="action" value="success">Success</button>
      <button class="button" name="action" value="failure">Failure</button>
      <button class="button" name="action" value="cancel">Cancel</button>
    </form>`
}

function endOf({ outcome, failure_reason }: Payment): { title: string; text: string } {
  if (outcome === 'success') return { title: 'Payment approved', text: 'Your bank has approved this payment.' }
  return outcome === 'pending' || failure_reason === 'expired'
    ? { title: 'The time is over', text: 'This page was open for too long, and the payment was not approved.' }
    : { title: 'Payment not approved', text: 'This payment was not approved.' }
}
