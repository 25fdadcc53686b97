import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto'

/** 18 bytes are 144 bits of MAC, 24 characters of base64url. */
const MAC_BYTES = 18
const TOKEN = /^([0-9A-Z]{1,35})-([A-Za-z0-9_-]{24})$/u

/**
 * The secret part of a checkout link: the transaction id and a keyed MAC of it.
 * Nobody can guess one, nothing has to be stored, and it says nothing about the shopper.
 */
export function checkoutToken(transactionId: string, key: KeyObject): string {
  return `${transactionId}-${mac(transactionId, key).toString('base64url')}`
}

/** The hosted page of a transaction under the gateway's public address. */
export function checkoutUrl(publicUrl: string, transactionId: string, key: KeyObject): string {
  return `${publicUrl}/checkout/${checkoutToken(transactionId, key)}`
}

/** The transaction id inside a link's token; `undefined` when the MAC is not ours. */
export function readCheckoutToken(token: string, key: KeyObject): string | undefined {
  const [, transactionId, given] = TOKEN.exec(token) ?? []
  if (transactionId === undefined || given === undefined) return undefined
  return timingSafeEqual(Buffer.from(given, 'base64url'), mac(transactionId, key)) ? transactionId : undefined
}

/** The key is imported already: an HMAC with bytes instead imports them each time, at several times the cost of the HMAC. */
function mac(transactionId: string, key: KeyObject): Buffer {
  return createHmac('sha256', key).update(`checkout:${transactionId}`).digest().subarray(0, MAC_BYTES)
}
