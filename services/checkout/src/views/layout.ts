import { readFileSync } from 'node:fs'
import { asciiDigits, CARD_NETWORKS, hasValidCheckDigit, isIssued, isPlainText, networkOf } from '@gateway/contracts'
import { html, Html, PAGE_STYLE, readStyle } from '@gateway/service-kit/http'
import * as readers from '../domain/card-fields.ts'
import type { InLanguage, Language } from '../domain/words.ts'
import { lockIcon, networkMark } from './icons.ts'
import type { LayoutContext } from './panel-context.ts'

/** `watch`: the script that follows the payment. `all`: also the scripts for the forms. */
type ScriptKind = 'watch' | 'all'

interface Page {
  readonly title: string
  readonly content: Html
  /** After `seconds` the browser loads `to`, or this page again. */
  readonly refresh?: { readonly seconds: number; readonly to?: string; readonly onlyWithoutScript?: boolean } | undefined
  readonly script?: ScriptKind
  /** A short page in the middle of the screen. */
  readonly small?: boolean
}

/** Read once at start. Style and script are inlined, so that a page needs no further request. */
const STYLE = [
  PAGE_STYLE,
  ...['theme.css', 'page.css', 'panel.css', 'forms.css', 'wide.css'].map((name) => readStyle(assetUrl(name))),
]
/** The very functions that read a form on the server, so that both read it alike. */
const FORM_READERS = [asciiDigits, hasValidCheckDigit, isIssued, isPlainText, networkOf, ...Object.values(readers)]
const SCRIPTS: Readonly<Record<ScriptKind, readonly Html[]>> = {
  watch: [readScript('live.js')],
  all: [
    readScript('live.js'),
    new Html(['const CARD_NETWORKS = pageData.networks', ...FORM_READERS].map(String).join('\n')),
    ...['forms.js', 'card.js', 'banks.js'].map(readScript),
  ],
}
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%231f4fd8'/%3E%3Cpath d='M4 8.5l2.5 2.5L12 5.5' fill='none' stroke='%23fff' stroke-width='2'/%3E%3C/svg%3E"

/** The frame of every page. It holds nothing about the shopper. */
export function layout(page: Page, context: LayoutContext): Html {
  const { nonce, environment, language, words, path } = context
  const markup = html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <title>${page.title}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex, nofollow" />
        <meta name="format-detection" content="telephone=no" />
        <link rel="icon" href="${ICON}" />
        ${refresh(page.refresh)}
        <style nonce="${nonce}">
          ${STYLE}
        </style>
      </head>
      <body>
        <header class="top">
          ${environment === 'sandbox' ? html`<p class="sandbox">${words.sandbox}</p>` : undefined}
          ${otherLanguage(language, path)}
        </header>
        <main class="${page.small === true ? 'card small' : 'card'}">${page.content}</main>
        <footer class="foot">${lockIcon()}<span>${words.footer}</span></footer>
        ${page.script && scripts(page.script, context)}
      </body>
    </html>`
  return new Html(markup.markup.replace(/\n\s+/gu, '\n'))
}

/** The link to the other language, in that language. */
function otherLanguage(language: Language, path: string): Html {
  return language === 'en'
    ? html`<a class="language" href="${path}?lang=hi" lang="hi" hreflang="hi">हिन्दी</a>`
    : html`<a class="language" href="${path}?lang=en" lang="en" hreflang="en">English</a>`
}

function refresh(wanted: Page['refresh']): Html | undefined {
  if (!wanted) return undefined
  const content = wanted.to === undefined ? String(wanted.seconds) : `${wanted.seconds}; url=${wanted.to}`
  const meta = html`<meta http-equiv="refresh" content="${content}" />`
  return wanted.onlyWithoutScript === true ? html`<noscript>${meta}</noscript>` : meta
}

function scripts(kind: ScriptKind, { words, nonce }: LayoutContext): Html {
  return html`<script type="application/json" nonce="${nonce}" data-page>
      ${scriptData(kind, words)}
    </script>
    <script nonce="${nonce}">
      ${SCRIPTS[kind]}
    </script>`
}

/** Texts for the page's script, and for the forms the card networks' rules. Escapes "<", which could end the script element. */
function scriptData(kind: ScriptKind, dictionary: InLanguage['words']): Html {
  const { errors, bank, backIn, stayed, wait, offline } = dictionary
  const words = { backIn, stayed, offline }
  const networks = CARD_NETWORKS.map((rules) => ({ ...rules, mark: networkMark(rules.id)?.markup ?? '' }))
  const data = kind === 'watch' ? { words } : { networks, words: { errors, found: bank.found, ...words, wait } }
  return new Html(JSON.stringify(data).replaceAll('<', '\\u003c'))
}

function readScript(name: string): Html {
  return new Html(readFileSync(assetUrl(name), 'utf8').replace(/^\s*\/\*.*\*\/$\n/gmu, ''))
}

function assetUrl(name: string): URL {
  return new URL(`./assets/${name}`, import.meta.url)
}
