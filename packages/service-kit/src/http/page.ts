import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Response } from 'express'

/** Safe markup: our own, with every foreign value escaped. */
export class Html {
  readonly markup: string

  constructor(markup: string) {
    this.markup = markup
  }
}

/** A value of a template: text, which gets escaped, markup, nothing, or a list of these. */
export type HtmlValue = string | number | Html | undefined | readonly HtmlValue[]

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** A template whose values are escaped, in text and in quoted attributes alike. Attributes must be quoted. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(strings.reduce((page, part, index) => page + markupOf(values[index - 1]) + part))
}

function markupOf(value: HtmlValue): string {
  if (value === undefined) return ''
  if (value instanceof Html) return value.markup
  if (typeof value === 'object') return value.map(markupOf).join('')
  return String(value).replace(/[&<>"']/gu, (character) => ENTITIES[character] ?? '')
}

/**
 * Sets the headers of a page. Returns the nonce that our own style and script carry.
 *
 * @param formsTo another web address that forms may lead to: browsers check redirects after a form too
 */
export function setPageHeaders(response: Response, formsTo?: string): string {
  const nonce = randomBytes(16).toString('base64')
  response.set({
    'content-security-policy': [
      `default-src 'none'`,
      `script-src 'nonce-${nonce}'`,
      `style-src 'nonce-${nonce}'`,
      `img-src data:`,
      `connect-src 'self'`,
      `form-action 'self'${formsTo === undefined ? '' : ` ${new URL(formsTo).origin}`}`,
      `base-uri 'none'`,
      `frame-ancestors 'none'`,
    ].join('; '),
    'cache-control': 'no-store',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    // The address grants access to this page, so it must not reach other sites.
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'x-robots-tag': 'noindex, nofollow',
  })
  return nonce
}

/** The style that all pages begin with. A page sets its colours: `--ink`, `--muted`, `--paper`, `--ground`, `--line`, `--brand`, … */
export const PAGE_STYLE = readStyle(new URL('./page.css', import.meta.url))

/** Reads a stylesheet that a page inlines: without comments and redundant white space, so that pages stay small. */
export function readStyle(url: URL): Html {
  const text = readFileSync(url, 'utf8').replace(/\/\*[\s\S]*?\*\//gu, '')
  return new Html(
    text
      .replace(/\s+/gu, ' ')
      .replace(/ ?([{};,>]) ?/gu, '$1')
      .replace(/: /gu, ':')
      .trim(),
  )
}
