import {
  buildUpiIntent,
  formatPaise,
  ORDER_CREATED,
  ORDER_METHODS,
  orderTextsOf,
  orderCreatedSchema,
  parseAmount,
  shownAs,
  toE164,
  ValidationFailed,
  type CreateOrderRequest,
  type CustomerView,
  type Dated,
  type IntentSigner,
  type OrderCreated,
  type OrderMethod,
  type OrderTexts,
} from '@gateway/contracts'
import { isWithinUpiCap, type UpiCap } from './upi-cap.ts'

type Created = OrderCreated['data']

/** What a merchant asked for. It never changes (specification, section 2.1), except that its customer can be purged. */
export interface Order extends Dated<Omit<Created, keyof OrderTexts | 'currency' | 'methods'>> {
  readonly texts: OrderTexts
  /** Every field is `null` after the purge. */
  readonly customer: CustomerView
  /** Methods the shopper can pay with: those the merchant asked for, without UPI above its cap. */
  readonly methods: readonly OrderMethod[]
  /** Digest of the request as sent: tells a repeated request from another order under the same id. */
  readonly fingerprint: string
  readonly correlation_id: string
  /** When the customer's personal data was purged; absent before. */
  readonly customer_purged_at?: Date
  readonly customer_purged_by?: PurgedBy
}

/** An order before its UPI link is made. */
export type OrderDraft = Omit<Order, 'intent'>

/** Why a customer was purged: the order's age, or a request. */
export type PurgedBy = 'retention' | 'request'

export type Merchant = Created['merchant']

export interface OrderLimits {
  readonly minAmountPaise: number
  readonly maxAmountPaise: number
  readonly upiCap: UpiCap
}

/** The stored orders. */
export interface Orders {
  /** Stores an order together with its event; false when this merchant has an order with this id. Concurrent inserts share one command. */
  insert(order: Order): Promise<boolean>
  find(merchantId: string, orderId: string): Promise<Order | undefined>
  findByTransaction(transactionId: string): Promise<Order | undefined>
  /** The orders of these transactions, in any order; unknown ids are left out. */
  findManyByTransaction(transactionIds: readonly string[]): Promise<Order[]>
  /** Transaction ids of orders created from `since` on and before `until`, in any order; at most `limit`. */
  idsCreatedBetween(since: Date, until: Date, limit: number): Promise<string[]>
}

const DEFAULT_EXPIRES_IN_SECONDS = 1200
const NO_CUSTOMER = { id: null, name: null, email: null, phone: null } as const satisfies CustomerView

/** The same request with its phone as E.164: an order whose phone is spelled in another way is the same order. */
export function withOneSpelling(request: CreateOrderRequest): CreateOrderRequest {
  const { phone } = request.customer
  if (phone === undefined) return request
  return { ...request, customer: { ...request.customer, phone: toE164(phone) ?? phone } }
}

/** The order of a valid request. Throws `ValidationFailed` for what a schema cannot check: the bounds of the amount. */
export function draftOrder(
  request: CreateOrderRequest,
  context: {
    merchant: Merchant
    transactionId: string
    fingerprint: string
    correlationId: string
    now: Date
    limits: OrderLimits
  },
): OrderDraft {
  const { merchant, transactionId, fingerprint, correlationId, now, limits } = context
  const amountPaise = parseAmount(request.amount) ?? 0
  return {
    merchant,
    order_id: request.order_id,
    transaction_id: transactionId,
    amount_paise: checkAmount(amountPaise, limits),
    texts: orderTextsOf(request),
    customer: { ...NO_CUSTOMER, ...request.customer },
    methods: openMethods(request.methods ?? ORDER_METHODS, amountPaise, merchant.mcc, limits.upiCap),
    max_attempts: request.max_attempts ?? 1,
    fingerprint,
    correlation_id: correlationId,
    created_at: now,
    expires_at: new Date(now.getTime() + (request.expires_in ?? DEFAULT_EXPIRES_IN_SECONDS) * 1000),
  }
}

const shownOrder = shownAs<Created>(orderCreatedSchema.properties.data)

/** The event that an order is stored with; it holds nothing of the customer. */
export function orderCreatedEvent(order: Omit<Order, 'customer'>): OrderCreated {
  return {
    id: `${order.transaction_id}.0`,
    type: ORDER_CREATED,
    version: 1,
    occurred_at: order.created_at.toISOString(),
    correlation_id: order.correlation_id,
    data: shownOrder({ ...order, ...order.texts, currency: 'INR' }),
  }
}

/** The UPI link of an order as the gateway builds it, signed when there is a signer; empty without UPI. */
export function buildLink(order: OrderDraft, signer?: IntentSigner): string {
  if (!order.methods.includes('upi')) return ''
  const { transaction_id: transactionId, merchant, amount_paise } = order
  const payee = { payeeVpa: merchant.vpa, payeeName: merchant.name, mcc: merchant.mcc }
  return buildUpiIntent({ ...payee, transactionId, amount: formatPaise(amount_paise), note: noteOf(order) }, signer)
}

/** What the payer sees of an order. */
export function noteOf({ texts, order_id }: Pick<OrderDraft, 'texts' | 'order_id'>): string {
  return texts.description || order_id
}

function checkAmount(amountPaise: number, { minAmountPaise, maxAmountPaise }: OrderLimits): number {
  if (amountPaise >= minAmountPaise && amountPaise <= maxAmountPaise) return amountPaise
  const message = `must be from ${formatPaise(minAmountPaise)} to ${formatPaise(maxAmountPaise)}`
  throw new ValidationFailed([{ field: '/amount', message }])
}

function openMethods(asked: readonly OrderMethod[], amountPaise: number, mcc: string, cap: UpiCap): OrderMethod[] {
  const open = asked.filter((method) => method !== 'upi' || isWithinUpiCap(amountPaise, mcc, cap))
  if (open.length > 0) return open
  throw new ValidationFailed([{ field: '/amount', message: 'is more than UPI takes, and the order allows no other method' }])
}
