import { isFinal, type TransactionView } from '@gateway/contracts'
import { html, type Html } from '@gateway/service-kit/http'
import { pageKey, pageState, type PageState } from '../domain/page-state.ts'
import type { Dictionary } from '../domain/words-en.ts'
import { hiddenMethodsText, isAtBank, wordsFor, wordsForRetry } from '../domain/words.ts'
import { choosePanel } from './choose-panel.ts'
import { endOfPayment } from './end-of-payment.ts'
import { moodIcon, type Mood } from './icons.ts'
import { layout } from './layout.ts'
import type { LayoutContext, PanelContext } from './panel-context.ts'
import { summary } from './summary.ts'

const REFRESH_WITHOUT_SCRIPT_SECONDS = 5

/** The whole payment page. */
export function paymentPage(view: TransactionView, context: PanelContext & LayoutContext): Html {
  const state = pageState(view, context.now, context.outages)
  const content = html`${summary(view, context.words)}
    <div class="panel" data-panel data-path="${context.path}" data-over="${String(isFinal(view.status))}">
      <p class="hidden" role="status" data-announce></p>
      <p class="notice" hidden data-offline></p>
      <div data-live>${paymentPanel(view, context)}</div>
    </div>`
  return layout(
    {
      title: pageTitle(view, state, context),
      content,
      // Only while there is nothing to fill in or press: a reload would interrupt the shopper.
      refresh: state.kind === 'closing' ? { seconds: REFRESH_WITHOUT_SCRIPT_SECONDS, onlyWithoutScript: true } : undefined,
      // A waiting payment, or one whose methods are down, may return to the choice of methods, which needs the form scripts.
      script: ['choose', 'all_down', 'waiting'].includes(state.kind) ? 'all' : 'watch',
    },
    context,
  )
}

/** The payment's state and the possible actions: the part that changes while the page is open. */
function paymentPanel(view: TransactionView, context: PanelContext): Html {
  const state = pageState(view, context.now, context.outages)
  const words = wordsFor(state, view.merchant.name, context.words)
  const mood = MOODS[state.kind]
  return html`<section class="state ${state.kind}" data-key="${pageKey(state)}">
    ${mood && moodIcon(mood)}
    <h1 tabindex="-1">${words.title}</h1>
    ${words.text === '' ? undefined : html`<p class="text">${words.text}</p>`} ${below(state, view, context)}
    ${canCancel(state) ? cancelForm(context) : undefined}
  </section>`
}

/** The page's title: the state, then the merchant's name. */
function pageTitle(view: TransactionView, state: PageState, { words }: PanelContext): string {
  return `${wordsFor(state, view.merchant.name, words).title} · ${view.merchant.name}`
}

const MOODS: Readonly<Record<PageState['kind'], Mood | undefined>> = {
  choose: undefined,
  no_method: 'calm',
  all_down: 'calm',
  waiting: 'busy',
  closing: 'busy',
  success: 'good',
  failed: 'bad',
}

function below(state: PageState, view: TransactionView, context: PanelContext): Html | undefined {
  if (state.kind === 'choose') return choosePanel(state, view, context)
  if (state.kind === 'waiting') return waitingPanel(state, context)
  if (state.kind === 'all_down') return checkAgain(context)
  return state.kind === 'success' || state.kind === 'failed' ? endOfPayment(view, context.words) : undefined
}

function canCancel({ kind }: PageState): boolean {
  return kind === 'choose' || kind === 'no_method' || kind === 'all_down' || kind === 'waiting'
}

/** Asks for confirmation before cancelling; works without a script. */
function cancelForm({ path, csrf, words }: PanelContext): Html | undefined {
  if (csrf === undefined) return undefined
  return html`<details class="more cancel">
    <summary>${words.cancel}</summary>
    <form method="post" action="${path}/cancel">
      <input type="hidden" name="csrf" value="${csrf}" />
      <p class="hint">${words.cancelHint}</p>
      <button class="button danger">${words.cancelNow}</button>
    </form>
  </details>`
}

type Waiting = Extract<PageState, { kind: 'waiting' }>

/** An attempt is open: continue at the bank, or pay another way. No QR code or card form here, so that nobody pays twice. */
function waitingPanel(state: Waiting, context: PanelContext): Html {
  const { path, words, canContinueAtBank, notice } = context
  return html`${notice === undefined ? undefined : html`<p class="notice">${words.notices[notice]}</p>`}
  ${canContinueAtBank && isAtBank(state) ? html`<a class="button" href="${path}/bank">${words.atBank.go}</a>` : undefined}
  ${anotherWay(state, context)} ${checkAgain(context)}`
}

/** Without a script the shopper loads the page again. */
function checkAgain({ path, words }: PanelContext): Html {
  return html`<noscript><a class="button quiet" href="${path}">${words.checkStatus}</a></noscript>`
}

function anotherWay({ attempt, canSwitch }: Waiting, { path, csrf, words }: PanelContext): Html | undefined {
  if (csrf === undefined || attempt === null || !canSwitch) return undefined
  return html`<form method="post" action="${path}/another-way">
    <input type="hidden" name="csrf" value="${csrf}" />
    <input type="hidden" name="attempt_id" value="${attempt.id}" />
    <button class="button quiet">${words.another}</button>
    <p class="hint">${words.anotherHint}</p>
  </form>`
}

/** What the page's script shows when the payment's state changes. */
export interface LiveView {
  readonly title: string
  /** Text for screen readers. */
  readonly announcement: string
  /** The page is replaced only when this key changes. */
  readonly key: string
  /** True when no more changes will follow. */
  readonly over: boolean
  readonly html: string
}

export function liveView(view: TransactionView, context: PanelContext): LiveView {
  const state = pageState(view, context.now, context.outages)
  return {
    title: pageTitle(view, state, context),
    announcement: announcementOf(state, view.merchant.name, context.words),
    key: pageKey(state),
    over: isFinal(view.status),
    html: paymentPanel(view, context).markup.replace(/\n\s+/gu, '\n'),
  }
}

/** After a failed attempt the reason comes first; otherwise a screen reader would only repeat the question. */
function announcementOf(state: PageState, merchant: string, words: Dictionary): string {
  const { title, text } = wordsFor(state, merchant, words)
  const down = state.kind === 'choose' ? hiddenMethodsText(state.outages.hiddenMethods, words) : ''
  if (state.kind === 'choose' && state.earlierFailure !== null)
    return [wordsForRetry(state.earlierFailure, words), down, title].filter((part) => part !== '').join(' ')
  if (down !== '') return `${down} ${title}`
  return text === '' ? title : `${title}. ${text}`
}
