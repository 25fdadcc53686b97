import { isFinal, type TransactionView } from '@gateway/contracts'
import { pageKey, pageState, type PageState } from '../domain/page-state.ts'
import { wordsFor, wordsForRetry, type Language } from '../domain/words.ts'
import type { PanelContext } from './panel-context.ts'
import { hiddenMethodsText } from './outage-notices.ts'
import { pageTitle, paymentPanel } from './payment-page.ts'

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
    announcement: announcementOf(state, view.merchant.name, context.language),
    key: pageKey(state),
    over: isFinal(view.status),
    html: paymentPanel(view, context).markup.replace(/\n\s+/gu, '\n'),
  }
}

/** After a failed attempt the reason comes first; otherwise a screen reader would only repeat the question. */
function announcementOf(state: PageState, merchant: string, language: Language): string {
  const { title, text } = wordsFor(state, merchant, language)
  const down = state.kind === 'choose' ? hiddenMethodsText(state.outages.hiddenMethods, language) : ''
  if (state.kind === 'choose' && state.earlierFailure !== null)
    return [wordsForRetry(state.earlierFailure, language), down, title].filter((part) => part !== '').join(' ')
  if (down !== '') return `${down} ${title}`
  return text === '' ? title : `${title}. ${text}`
}
