import { readFileSync } from 'node:fs'
import { html, Html, PAGE_STYLE, readStyle } from '@gateway/service-kit/http'

export interface SandboxPage {
  readonly title: string
  /** Owner of the simulated page, such as `Sandbox issuer`. */
  readonly who: string
  /** The part above the line: what is paid. */
  readonly summary?: Html
  readonly content: Html
  /** True: the page counts its time down, and reloads at its end. */
  readonly hasTimer?: boolean
}

/** Read once at start. Style and script are inlined, so that a page needs no further request. */
const STYLE = [PAGE_STYLE, readStyle(new URL('./assets/sandbox.css', import.meta.url))]
const TIMER = new Html(readFileSync(new URL('./assets/timer.js', import.meta.url), 'utf8'))
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%230d6b62'/%3E%3Cpath d='M3.5 7L8 4l4.5 3M5 8v3M8 8v3M11 8v3M4 12.5h8' fill='none' stroke='%23fff'/%3E%3C/svg%3E"

/** The frame of every page of the sandbox's banks, issuers and UPI app; it names itself a sandbox. */
export function layout({ title, who, summary, content, hasTimer = false }: SandboxPage, nonce: string): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${title} · ${who}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex, nofollow" />
        <link rel="icon" href="${ICON}" />
        <style nonce="${nonce}">
          ${STYLE}
        </style>
      </head>
      <body>
        <main>
          <header class="top">
            <p class="who">${bankIcon()} ${who}</p>
            ${summary}
          </header>
          <div class="body">
            <h1>${title}</h1>
            ${content}
          </div>
        </main>
        <footer class="foot">Sandbox: no real bank, no real money.</footer>
        ${
          hasTimer
            ? html`<script nonce="${nonce}">
                ${TIMER}
              </script>`
            : undefined
        }
      </body>
    </html>`
}

function bankIcon(): Html {
  return html`<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path d="M3 9.5 12 4l9 5.5zM5.5 10v8M10 10v8M14 10v8M18.5 10v8M3 20h18" />
  </svg>`
}
