import { randomBytes } from 'node:crypto'
import type { Response } from 'express'
import type { Html } from '@gateway/service-kit/http'

/**
 * Sets the headers of every sandbox page. Returns the nonce of its style and script. `form-action` allows the shopper's return
 * address, because browsers check redirects after a form too.
 */
export function setPageHeaders(response: Response, returnUrl?: string): string {
  const nonce = randomBytes(16).toString('base64')
  const formTargets = returnUrl === undefined ? "'self'" : `'self' ${new URL(returnUrl).origin}`
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    'img-src data:',
    `form-action ${formTargets}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  response.set({
    'content-security-policy': policy.join('; '),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
  return nonce
}

export function sendPage(response: Response, page: Html): void {
  response.type('html').send(page.markup)
}
