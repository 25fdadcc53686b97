import { html, type Html } from '@gateway/service-kit'
import { moodIcon } from './icons.ts'
import { layout, type LayoutContext } from './layout.ts'

/** A page that is about no payment in particular. */
export interface Message {
  readonly title: string
  readonly text: string
  /** The page looks again by itself. */
  readonly refresh?: boolean
}

const REFRESH_SECONDS = 5

export function messagePage(
  { title, text, refresh = false }: Message,
  context: LayoutContext & { readonly retryAfterSeconds?: number | undefined },
): Html {
  const content = html`<div class="message">
    ${moodIcon(refresh ? 'busy' : 'calm')}
    <h1>${title}</h1>
    <p>${text}</p>
  </div>`
  const refreshSeconds = refresh ? (context.retryAfterSeconds ?? REFRESH_SECONDS) : undefined
  return layout({ title, content, refreshSeconds }, context)
}
