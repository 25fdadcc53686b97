import type { TransactionView } from '@gateway/contracts'
import { html, type Html } from '@gateway/service-kit/http'
import { moodIcon } from './icons.ts'
import { layout } from './layout.ts'
import type { LayoutContext } from './panel-context.ts'
import { summary } from './summary.ts'

/** Pages that do not show a payment. */
export type MessageKind = 'link_not_valid' | 'try_again' | 'not_ours' | 'unexpected'

const TRY_AGAIN_AFTER_SECONDS = 5

/** Says what is wrong and what to do. `try_again` reloads by itself. */
export function messagePage(
  kind: MessageKind,
  context: LayoutContext & { readonly retryAfterSeconds?: number | undefined },
): Html {
  const { words } = context
  const { title, text } = words.messages[kind]
  const again = kind === 'try_again'
  const seconds = context.retryAfterSeconds ?? TRY_AGAIN_AFTER_SECONDS
  const content = html`<div class="message" data-reload-seconds="${again ? seconds : ''}">
    ${moodIcon(again ? 'busy' : 'calm')}
    <h1>${title}</h1>
    <p class="text">${text}</p>
    ${kind === 'link_not_valid' ? undefined : html`<a class="button quiet" href="${context.path}">${words.reload}</a>`}
  </div>`
  return layout(
    {
      title,
      content,
      small: true,
      refresh: again ? { seconds, to: context.path, onlyWithoutScript: true } : undefined,
      ...(again && { script: 'watch' as const }),
    },
    context,
  )
}

/**
 * Sends the browser to the bank's page (http or https; the caller has checked the address). It is a page instead of an HTTP
 * redirect, because browsers apply `form-action 'self'` to redirects after a form too.
 */
export function bankPage(view: TransactionView, redirectUrl: string, context: LayoutContext): Html {
  const words = context.words.atBank
  const content = html`${summary(view, context.words)}
    <div class="panel">
      <section class="state">
        ${moodIcon('busy')}
        <h1>${words.title}</h1>
        <p class="text">${words.text}</p>
        <a class="button" href="${redirectUrl}" rel="noreferrer">${words.go}</a>
      </section>
    </div>`
  return layout({ title: `${words.title} · ${view.merchant.name}`, content, refresh: { seconds: 0, to: redirectUrl } }, context)
}
