import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto'
import type { CheckoutLinks } from './http/create-order.ts'
import { TRANSACTION_ID_DIGITS } from './slot.ts'

/** 18 bytes are 144 bits of MAC, 24 characters of base64url. */
const MAC_BYTES = 18
const MAC = '[A-Za-z0-9_-]{24}'
const TOKEN = new RegExp(`^(${TRANSACTION_ID_DIGITS})-(${MAC})$`, 'u')

/** What the secret part of a checkout link looks like inside a pattern. */
export const CHECKOUT_TOKEN = `${TRANSACTION_ID_DIGITS}-${MAC}`

/**
 * The secret part of a checkout link: the transaction id and a keyed MAC of it. It cannot be guessed, is not stored and says
 * nothing about the shopper.
 */
export function checkoutToken(transactionId: string, key: KeyObject): string {
  return `${transactionId}-${mac(transactionId, key).toString('base64url')}`
}

/** The hosted page of a transaction under the gateway's public address. */
export function checkoutUrl(publicUrl: string, transactionId: string, key: KeyObject): string {
  return `${publicUrl}/checkout/${checkoutToken(transactionId, key)}`
}

/** The transaction id in a link's token; `undefined` when its MAC was made with none of the keys. */
export function readCheckoutToken(token: string, keys: readonly KeyObject[]): string | undefined {
  const [, transactionId, given] = TOKEN.exec(token) ?? []
  if (transactionId === undefined || given === undefined) return undefined
  const bytes = Buffer.from(given, 'base64url')
  return keys.some((key) => timingSafeEqual(bytes, mac(transactionId, key))) ? transactionId : undefined
}

/** The key is a `KeyObject`: an HMAC with bytes imports them at each call, which costs several times the HMAC. */
function mac(transactionId: string, key: KeyObject): Buffer {
  return createHmac('sha256', key).update(`checkout:${transactionId}`).digest().subarray(0, MAC_BYTES)
}

/** The fields of an order that its checkout links need. */
export interface LinkedOrder {
  readonly transactionId: string
  /** The UPI link; empty when the order cannot be paid by UPI. */
  readonly intent: string
}

export type LinksOf = (order: LinkedOrder) => CheckoutLinks

/** Makes `checkout.url` and `checkout.intent` of an order; the same order always gets the same links (design, section 5). */
export function makeCheckoutLinks({ publicUrl, key }: { publicUrl: string; key: KeyObject }): LinksOf {
  return ({ transactionId, intent }) => ({ url: checkoutUrl(publicUrl, transactionId, key), intent })
}
