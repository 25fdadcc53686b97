import {
  formatPaise,
  ORDER_CREATED,
  ORDER_METHODS,
  orderTextsOf,
  parseAmount,
  toE164,
  ValidationFailed,
  type CreateOrderRequest,
  type CustomerView,
  type OrderCreated,
  type OrderMethod,
  type OrderTexts,
} from '@gateway/contracts'
import { isWithinUpiCap, type UpiCap } from './upi.ts'

/**
 * What a merchant asked for. An order never changes after creation (specification, section 2.1), except that its customer's
 * personal data can be purged.
 */
export interface Order {
  readonly merchant: Merchant
  readonly orderId: string
  readonly transactionId: string
  readonly amountPaise: number
  readonly texts: OrderTexts
  /** Every field is `null` after the purge. */
  readonly customer: CustomerView
  /** Methods the shopper can pay with: those the merchant asked for, without UPI above its cap. */
  readonly methods: readonly OrderMethod[]
  readonly maxAttempts: number
  /** Digest of the request as sent: tells a repeated request from another order under the same id. */
  readonly fingerprint: string
  readonly correlationId: string
  readonly createdAt: Date
  readonly expiresAt: Date
  /** When the customer's personal data was purged; absent before. */
  readonly customerPurgedAt?: Date
  readonly customerPurgedBy?: PurgedBy
  /** The UPI link, made once; empty when the order cannot be paid by UPI. */
  readonly intent: string
}

/** An order before its UPI link is made. */
export type OrderDraft = Omit<Order, 'intent'>

/** Why a customer was purged: the order's age, or a request. */
export type PurgedBy = 'retention' | 'request'

export interface Merchant {
  readonly id: string
  readonly name: string
  readonly vpa: string
  readonly mcc: string
}

export interface OrderLimits {
  readonly minAmountPaise: number
  readonly maxAmountPaise: number
  readonly upiCap: UpiCap
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
    orderId: request.order_id,
    transactionId,
    amountPaise: checkAmount(amountPaise, limits),
    texts: orderTextsOf(request),
    customer: { ...NO_CUSTOMER, ...request.customer },
    methods: openMethods(request.methods ?? ORDER_METHODS, amountPaise, merchant.mcc, limits.upiCap),
    maxAttempts: request.max_attempts ?? 1,
    fingerprint,
    correlationId,
    createdAt: now,
    expiresAt: new Date(now.getTime() + (request.expires_in ?? DEFAULT_EXPIRES_IN_SECONDS) * 1000),
  }
}

/** The event that an order is stored with; it holds nothing of the customer. */
export function orderCreatedEvent(order: Omit<Order, 'customer'>): OrderCreated {
  return {
    id: `${order.transactionId}.0`,
    type: ORDER_CREATED,
    version: 1,
    occurred_at: order.createdAt.toISOString(),
    correlation_id: order.correlationId,
    data: {
      transaction_id: order.transactionId,
      order_id: order.orderId,
      merchant: { ...order.merchant },
      amount_paise: order.amountPaise,
      currency: 'INR',
      methods: [...order.methods],
      max_attempts: order.maxAttempts,
      intent: order.intent,
      created_at: order.createdAt.toISOString(),
      expires_at: order.expiresAt.toISOString(),
      ...order.texts,
    },
  }
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
