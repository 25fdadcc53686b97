import { randomBytes } from 'node:crypto'
import type { Response } from 'express'
import type { Html } from '@gateway/service-kit/http'

/**
 * The headers of every page of the sandbox; returns the nonce of its style and script. A form may end at the address that the
 * shopper returns to, since browsers check redirects as well.
 */
export function protect(response: Response, returnUrl?: string): string {
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
