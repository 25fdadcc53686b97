import type { TransactionView } from '@gateway/contracts'
import { isOver, keyOf, pageState, type PageState } from '../domain/page-state.ts'
import { wordsFor, wordsForRetry, type Language } from '../domain/words.ts'
import type { PanelContext } from './panel-context.ts'
import { pageTitle, paymentPanel } from './payment-page.ts'

/** What the page's script puts into the page when the payment stands differently. */
export interface LiveView {
  readonly title: string
  /** Said to those who do not see it change. */
  readonly announcement: string
  /** The page is left alone while this is what it shows already. */
  readonly key: string
  /** Nothing more will come. */
  readonly over: boolean
  readonly html: string
}

export function liveView(view: TransactionView, context: PanelContext): LiveView {
  const state = pageState(view, context.now)
  return {
    title: pageTitle(view, state, context),
    announcement: announcementOf(state, view.merchant.name, context.language),
    key: keyOf(state),
    over: isOver(view),
    html: paymentPanel(view, context).markup.replace(/\n\s+/gu, '\n'),
  }
}

/** Why the try before did not work comes first: who does not see the notice would only hear the question again. */
function announcementOf(state: PageState, merchant: string, language: Language): string {
  const { title, text } = wordsFor(state, merchant, language)
  if (state.kind === 'choose' && state.earlierFailure !== null) return `${wordsForRetry(state.earlierFailure, language)} ${title}`
  return text === '' ? title : `${title}. ${text}`
}
