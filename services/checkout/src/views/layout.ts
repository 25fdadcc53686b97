import { readFileSync } from 'node:fs'
import { html, Html, type Environment } from '@gateway/service-kit'
import { lockIcon } from './icons.ts'

export interface LayoutContext {
  readonly nonce: string
  readonly environment: Environment
}

export interface Page {
  readonly title: string
  readonly content: Html
  /** Seconds after which a browser without scripts looks again. */
  readonly refreshWithoutScriptSeconds?: number | undefined
  /** Seconds after which every browser looks again. */
  readonly refreshSeconds?: number | undefined
  readonly script?: boolean
}

/** Read once, at start; style and script are put into the page, so that it loads nothing from anywhere. */
const STYLE = ['theme.css', 'panel.css', 'page.css'].map(readAsset)
const SCRIPT = readAsset('checkout.js')
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%231f4fd8'/%3E%3Cpath d='M4 8.5l2.5 2.5L12 5.5' fill='none' stroke='%23fff' stroke-width='2'/%3E%3C/svg%3E"

export function layout(page: Page, { nonce, environment }: LayoutContext): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${page.title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex, nofollow" />
        <link rel="icon" href="${ICON}" />
        ${refresh(page.refreshSeconds)}
        ${
          page.refreshWithoutScriptSeconds === undefined
            ? undefined
            : html`<noscript>${refresh(page.refreshWithoutScriptSeconds)}</noscript>`
        }
        <style nonce="${nonce}">
          ${STYLE}
        </style>
      </head>
      <body>
        ${environment === 'sandbox' ? html`<p class="sandbox">Sandbox: a test payment, no real money moves.</p>` : undefined}
        <main class="card">${page.content}</main>
        <footer class="foot">${lockIcon()} Secure payment page. Never share your UPI PIN with anyone.</footer>
        ${
          page.script === true
            ? html`<script nonce="${nonce}">
                ${SCRIPT}
              </script>`
            : undefined
        }
      </body>
    </html>`
}

function refresh(seconds: number | undefined): Html | undefined {
  return seconds === undefined ? undefined : html`<meta http-equiv="refresh" content="${seconds}" />`
}

function readAsset(name: string): Html {
  return new Html(readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8'))
}
