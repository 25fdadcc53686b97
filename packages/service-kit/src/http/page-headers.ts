import { randomBytes } from 'node:crypto'
import type { Response } from 'express'

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
