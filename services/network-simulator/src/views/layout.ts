import { readFileSync } from 'node:fs'
import { html, Html } from '@gateway/service-kit/http'

export interface SandboxPage {
  readonly title: string
  /** Whose page it plays, such as `Sandbox issuer`. */
  readonly who: string
  /** What is being paid; the part above the line. */
  readonly summary?: Html
  readonly content: Html
  /** The page counts its time down, and looks again at its end. */
  readonly hasTimer?: boolean
}

/** Read once, at start; style and script are put into the page, so that it loads nothing from anywhere. */
const STYLE = readAsset('sandbox.css')
const TIMER = readAsset('timer.js')
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%230d6b62'/%3E%3Cpath d='M3.5 7L8 4l4.5 3M5 8v3M8 8v3M11 8v3M4 12.5h8' fill='none' stroke='%23fff'/%3E%3C/svg%3E"

/** Every page of the sandbox's banks, issuers and UPI app; it says that it is one. */
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

function readAsset(name: string): Html {
  return new Html(readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8'))
}
