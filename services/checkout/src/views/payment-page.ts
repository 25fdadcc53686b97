import type { TransactionView } from '@gateway/contracts'
import { html, type Html } from '@gateway/service-kit'
import { isOver, keyOf, pageState, remainingMs, type PageState } from '../domain/page-state.ts'
import { returnLink } from '../domain/return-link.ts'
import { formatCountdown, formatIstTime, formatRupees } from '../domain/rupees.ts'
import { wordsFor, wordsForRetry } from '../domain/words.ts'
import { moodIcon, type Mood } from './icons.ts'
import { layout, type LayoutContext } from './layout.ts'
import { qrCode } from './qr.ts'

export interface PanelContext {
  /** The secret part of the link. */
  readonly token: string
  /** For the form; without it there is none. */
  readonly csrf: string | undefined
  readonly now: Date
}

/** Characters; longer ones are set smaller. */
const LONGEST_LARGE_AMOUNT = 10
const REFRESH_WITHOUT_SCRIPT_SECONDS = 5

/** The whole page of a payment. */
export function paymentPage(view: TransactionView, context: PanelContext & LayoutContext): Html {
  const { title } = wordsFor(pageState(view, context.now), view.merchant.name)
  const over = isOver(view)
  const content = html`${summary(view)}
    <p class="announce" role="status" aria-live="polite" data-announce></p>
    <div class="panel" data-panel data-events="/checkout/${context.token}/events" data-over="${String(over)}">
      ${paymentPanel(view, context)}
    </div>`
  return layout(
    {
      title: `${title} · ${view.merchant.name}`,
      content,
      refreshWithoutScriptSeconds: over ? undefined : REFRESH_WITHOUT_SCRIPT_SECONDS,
      script: !over,
    },
    context,
  )
}

/** What is being paid, to whom: the part that stays. */
function summary({ merchant, amount, description, order_id: orderId }: TransactionView): Html {
  const rupees = formatRupees(amount)
  return html`<header class="summary">
    <p class="merchant">
      <span class="badge" aria-hidden="true">${initialOf(merchant.name)}</span>
      <span><span class="to">Paying</span> <strong>${merchant.name}</strong></span>
    </p>
    <p class="${rupees.length > LONGEST_LARGE_AMOUNT ? 'amount long' : 'amount'}">
      <span class="hidden">Amount: </span>${rupees}
    </p>
    <dl class="facts">
      ${
        description === ''
          ? undefined
          : html`<dt>For</dt>
              <dd>${description}</dd>`
      }
      <dt>Order</dt>
      <dd>${orderId}</dd>
    </dl>
  </header>`
}

const LETTERS = new Intl.Segmenter('en', { granularity: 'grapheme' })

function initialOf(name: string): string | undefined {
  const [first] = LETTERS.segment(name.trim())
  return first?.segment.toUpperCase()
}

/** How it stands, and what can be done: the part that changes while the page is open. */
export function paymentPanel(view: TransactionView, context: PanelContext): Html {
  const state = pageState(view, context.now)
  const words = wordsFor(state, view.merchant.name)
  const mood = MOODS[state.kind]
  return html`<section class="state" data-key="${keyOf(state)}">
    ${mood && moodIcon(mood)}
    <h1>${words.title}</h1>
    <p class="text">${words.text}</p>
    ${state.kind === 'choose' ? payByUpi(state, view, context) : undefined} ${wayBack(state, view)}
    ${canCancel(state) ? cancelForm(context) : undefined}
  </section>`
}

const MOODS: Readonly<Record<PageState['kind'], Mood | undefined>> = {
  choose: undefined,
  no_method: 'calm',
  waiting: 'busy',
  closing: 'busy',
  success: 'good',
  failed: 'bad',
}

function payByUpi(state: Extract<PageState, { kind: 'choose' }>, view: TransactionView, { now }: PanelContext): Html {
  const leftMs = remainingMs(view, now)
  return html`${state.earlierFailure === null ? undefined : html`<p class="notice">${wordsForRetry(state.earlierFailure)}</p>`}
    ${state.intent === null ? undefined : upiWays(state.intent, view)}
    <p class="until">
      Pay before ${formatIstTime(new Date(view.expires_at))}
      <span class="timer" role="timer" aria-live="off" data-left-ms="${leftMs}">${formatCountdown(leftMs)}</span>
    </p>`
}

function upiWays(intent: string, { amount, merchant }: TransactionView): Html {
  return html`<div class="ways">
    <a class="button app" href="${intent}">Open UPI app</a>
    <div class="scan">${qrCode(intent, `QR code to pay ${formatRupees(amount)} to ${merchant.name} with any UPI app`)}</div>
  </div>`
}

function wayBack(state: PageState, view: TransactionView): Html | undefined {
  if (state.kind !== 'success' && state.kind !== 'failed') return undefined
  const link = returnLink(view)
  return link === undefined
    ? undefined
    : html`<a class="button" href="${link}" rel="noreferrer">Return to ${view.merchant.name}</a>`
}

function canCancel({ kind }: PageState): boolean {
  return kind === 'choose' || kind === 'no_method' || kind === 'waiting'
}

/** Asks before it does it, without a script. */
function cancelForm({ token, csrf }: PanelContext): Html | undefined {
  if (csrf === undefined) return undefined
  return html`<details class="cancel">
    <summary>Cancel payment</summary>
    <form method="post" action="/checkout/${token}/cancel">
      <input type="hidden" name="csrf" value="${csrf}" />
      <p>Do not cancel if you have just paid.</p>
      <button class="button danger">Yes, cancel this payment</button>
    </form>
  </details>`
}
