import { randomBytes } from 'node:crypto'
import type { Response } from 'express'

/** Sets the headers of every page. Returns the nonce that our own style and script carry. */
export function setPageHeaders(response: Response): string {
  const nonce = randomBytes(16).toString('base64')
  response.set({
    'content-security-policy': [
      `default-src 'none'`,
      `script-src 'nonce-${nonce}'`,
      `style-src 'nonce-${nonce}'`,
      `img-src data:`,
      `connect-src 'self'`,
      `form-action 'self'`,
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

/** Headers of the answers that the page's script reads. */
export const LIVE_HEADERS = {
  'cache-control': 'no-store, no-transform',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const
