import type { TransactionView } from '@gateway/contracts'
import { html, type Html } from '@gateway/service-kit/http'
import { dictionary } from '../domain/words.ts'
import { moodIcon } from './icons.ts'
import { layout } from './layout.ts'
import type { LayoutContext } from './panel-context.ts'
import { summary } from './summary.ts'

/**
 * Sends the browser to the bank's page (http or https; the caller has checked the address). It is a page instead of an HTTP
 * redirect, because browsers apply `form-action 'self'` to redirects after a form too.
 */
export function bankPage(view: TransactionView, redirectUrl: string, context: LayoutContext): Html {
  const words = dictionary(context.language).atBank
  const content = html`${summary(view, context.language)}
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
