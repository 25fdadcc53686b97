import { html, type Html } from '@gateway/service-kit/http'
import type { PageState } from '../domain/page-state.ts'
import { dictionary, isAtBank } from '../domain/words.ts'
import type { PanelContext } from './panel-context.ts'

type Waiting = Extract<PageState, { kind: 'waiting' }>

/** An attempt is open: continue at the bank, or pay another way. No QR code or card form here, so that nobody pays twice. */
export function waitingPanel(state: Waiting, context: PanelContext): Html {
  const { token, language, canContinueAtBank, notice } = context
  const words = dictionary(language)
  return html`${notice === undefined ? undefined : html`<p class="notice">${words.notices[notice]}</p>`}
  ${
    canContinueAtBank && isAtBank(state)
      ? html`<a class="button" href="/checkout/${token}/bank">${words.atBank.go}</a>`
      : undefined
  }
  ${anotherWay(state, context)} ${checkAgain(context)}`
}

/** Without a script the shopper loads the page again. */
export function checkAgain({ token, language }: PanelContext): Html {
  return html`<noscript><a class="button quiet" href="/checkout/${token}">${dictionary(language).checkStatus}</a></noscript>`
}

function anotherWay({ attempt, canSwitch }: Waiting, { token, csrf, language }: PanelContext): Html | undefined {
  if (csrf === undefined || attempt === null || !canSwitch) return undefined
  const words = dictionary(language)
  return html`<form method="post" action="/checkout/${token}/another-way">
    <input type="hidden" name="csrf" value="${csrf}" />
    <input type="hidden" name="attempt_id" value="${attempt.id}" />
    <button class="button quiet">${words.another}</button>
    <p class="hint">${words.anotherHint}</p>
  </form>`
}
