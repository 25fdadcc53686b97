import { hash } from 'node:crypto'
import { Fault } from './errors.ts'

/**
 * A slot is a share of all orders. Everything that belongs to one order has its slot: order, transaction, refunds and webhooks. Queues,
 * due work and shards are divided by slots (docs/scaling.md, "The slot").
 */
export const SLOTS = 1024

/** The bits of a SHA-256's first two bytes that make no part of the slot: 16 − log2 `SLOTS`. */
const BITS_LEFT_OUT = 6

/** Crockford's base 32, in which ULIDs are written. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** The position of a slot's two digits in a transaction id: after the ULID. */
const SLOT_AT = 26

/** What a transaction id looks like inside a pattern: a ULID, whose first digit is 7 at most, and a slot. */
export const TRANSACTION_ID_DIGITS = '[0-7][0-9A-HJKMNP-TV-Z]{27}'

/** A transaction id, alone or at the beginning of a refund's id (`R01`), or of an event's or a delivery's (`.2`, `R01.2`). */
const BEGINS_WITH_TRANSACTION_ID = new RegExp(String.raw`^${TRANSACTION_ID_DIGITS}(?:R\d\d)?(?:\.|$)`, 'u')

/** The key of an order in databases and caches: `<merchant id>:<order id>`. Neither id has a colon. */
export function orderKey(merchantId: string, orderId: string): string {
  return `${merchantId}:${orderId}`
}

/** The slot of an order, from 0 to 1023: the first ten bits of SHA-256 of its key. */
export function slotOfOrder(merchantId: string, orderId: string): number {
  return hash('sha256', orderKey(merchantId, orderId), 'buffer').readUInt16BE() >> BITS_LEFT_OUT
}

/**
 * The slot that an id names: the id of a transaction, or one that begins with it (refund, event, delivery). Never throws; `undefined` for
 * every other text, such as a network's own `tr`: no document of ours has such an id.
 */
export function slotOf(id: string): number | undefined {
  if (!BEGINS_WITH_TRANSACTION_ID.test(id)) return undefined
  return DIGITS.indexOf(id.charAt(SLOT_AT)) * DIGITS.length + DIGITS.indexOf(id.charAt(SLOT_AT + 1))
}

/** The slot of an id that the gateway made. Throws `Fault` for any other text. */
export function ownSlotOf(id: string): number {
  const slot = slotOf(id)
  if (slot === undefined) throw new Fault('an id without a slot cannot be one of ours')
  return slot
}

/** The slots of ids that the gateway made, each once: a query that names many documents names their slots. Throws like `ownSlotOf`. */
export function ownSlotsOf(ids: Iterable<string>): number[] {
  return [...new Set(Array.from(ids, ownSlotOf))]
}

/** The two digits of a slot at the end of a transaction id. */
export function slotDigits(slot: number): string {
  return DIGITS.charAt(Math.floor(slot / DIGITS.length)) + DIGITS.charAt(slot % DIGITS.length)
}

/** The fields of a shard key, in their order. */
export type ShardKey = Readonly<Record<string, 1 | 'hashed'>>

/**
 * The shard key of each collection that grows with payments, by service: the fields by which MongoDB divides it (docs/scaling.md, "Shard
 * keys"). A unique index of such a collection begins with its whole key; MongoDB refuses any other. A collection that is not named here is
 * small, or belongs to no payment path, and stays on one shard.
 */
export const SHARD_KEYS = {
  'order-api': { orders: { slot: 1, _id: 1 } },
  'payment-status': { transactions: { slot: 1, order_key: 1 } },
  'webhook-dispatcher': { deliveries: { merchant_id: 1, slot: 1 } },
  ledger: {
    payments: { merchant_id: 1, slot: 1 },
    refunds: { merchant_id: 1, slot: 1 },
    // These ids begin with the merchant's.
    payment_rrns: { _id: 1 },
    settlement_merchant_lines: { _id: 1 },
    entries: { _id: 'hashed' },
    settlement_lines: { _id: 'hashed' },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, ShardKey>>>>
