import { hash } from 'node:crypto'
import { Fault, formatPaise, parseAmount, Refused, slotOfOrder, Unavailable, type CreateOrderRequest } from '@gateway/contracts'
import type { OutboxRelay } from '@gateway/outbox'
import {
  buildLink,
  draftOrder,
  withOneSpelling,
  type Merchant,
  type Order,
  type OrderDraft,
  type OrderLimits,
  type Orders,
} from '../domain/order.ts'

/**
 * Creates an order once. Repeating the same fields gives the same order. Throws `order_id_conflict` for other fields under the
 * same `order_id`, and `Unavailable` while too many events are unpublished (design, section 3, back-pressure) or a UPI link that the
 * connector mints is missing (`intent_unavailable`): then nothing is stored.
 */
export type CreateOrder = (
  request: CreateOrderRequest,
  caller: { merchant: Merchant; correlationId: string },
) => Promise<{ order: Order; created: boolean }>

/** Makes the UPI link of an order that can be paid by UPI. */
export type MintIntent = (order: OrderDraft) => string | Promise<string>

export function makeCreateOrder(dependencies: {
  orders: Orders
  relay: Pick<OutboxRelay, 'pressure'>
  limits: OrderLimits
  /** Mints or signs UPI links; absent when the gateway builds them alone. */
  mintIntent?: MintIntent | undefined
  newTransactionId: (now: Date, slot: number) => string
  now: () => Date
}): CreateOrder {
  const { orders, relay, limits, mintIntent, newTransactionId, now } = dependencies

  async function intentOf(draft: OrderDraft): Promise<string> {
    if (!mintIntent || !draft.methods.includes('upi')) return buildLink(draft)
    // No link is minted for a repetition, whose link is stored: it is answered also while the connector is away.
    const isRepetition = (await orders.find(draft.merchant.id, draft.order_id)) !== undefined
    return isRepetition ? '' : mintIntent(draft)
  }

  return async (asked, { merchant, correlationId }) => {
    if (relay.pressure() === 'backlog') throw new Unavailable('backlog', 'Earlier orders are waiting to be processed; try again')

    const request = withOneSpelling(asked)
    const createdAt = now()
    const draft = draftOrder(request, {
      merchant,
      transactionId: newTransactionId(createdAt, slotOfOrder(merchant.id, request.order_id)),
      fingerprint: fingerprintOf(request),
      correlationId,
      now: createdAt,
      limits,
    })
    const order = { ...draft, intent: await intentOf(draft) }
    if (await orders.insert(order)) return { order, created: true }

    const existing = await orders.find(merchant.id, order.order_id)
    if (!existing) throw new Fault('order is refused as a duplicate and cannot be found')
    if (existing.fingerprint === order.fingerprint) return { order: existing, created: false }
    throw new Refused('order_id_conflict', 'Another order with other fields has this order_id')
  }
}

/** A digest of a request's fields, in any order and before defaults; `"499"` equals `"499.00"` (design, section 5). */
export function fingerprintOf(request: CreateOrderRequest): string {
  const amountPaise = parseAmount(request.amount)
  const comparable = amountPaise === undefined ? request : { ...request, amount: formatPaise(amountPaise) }
  return hash('sha256', canonical(comparable), 'base64url')
}

/** JSON with sorted keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )
}
