import { hash, randomBytes, randomUUID } from 'node:crypto'
import { newTransactionId } from '@gateway/contracts'
import { draftOrder, orderCreatedEvent, type Merchant, type Order } from '@gateway-services/order-api/domain/order'
import { toDocument as toOrderDocument } from '@gateway-services/order-api/persistence/order-document'
import { startAttempt } from '@gateway-services/payment-status/domain/attempts'
import { openTransaction } from '@gateway-services/payment-status/domain/opening'
import { applyReport } from '@gateway-services/payment-status/domain/reports'
import type { Decision } from '@gateway-services/payment-status/domain/transaction'
import { toDocument as toTransactionDocument } from '@gateway-services/payment-status/persistence/transaction-mapping'
import { reportOf } from '@gateway-services/network-simulator/domain/payment'
import { toDocument as toPaymentDocument } from '@gateway-services/network-simulator/persistence/payment-document'
import { storedDelivery } from './stored-delivery.ts'
import { storedNetworkPayment } from './stored-network-payment.ts'

export interface StoredMerchant extends Merchant {
  readonly webhookUrl: string
}

export interface Past {
  readonly number: number
  readonly merchant: StoredMerchant
  readonly createdAt: Date
  readonly now: Date
}

const DAY_MS = 24 * 3600 * 1000
const DECIDED_AFTER_MS = 45_000
const STARTED_AFTER_MS = 20_000
/** One in so many goes by the hosted page, and has an attempt, a bank's page and a webhook more. The others are paid in a UPI app. */
const CHECKOUT_EVERY = 5
const FAILED_EVERY = 12

/** What the databases of all services hold of one payment that is over, made by their own domains and their own mapping. */
export function makeStoredPayment(past: Past) {
  const order = orderOf(past)
  const opened = openTransaction(orderCreatedEvent(order))
  const isCheckout = past.number % CHECKOUT_EVERY === 0
  const started = isCheckout ? begin(opened, later(past.createdAt, STARTED_AFTER_MS)) : undefined
  const { transaction } = started ?? opened
  const endedAt = later(past.createdAt, DECIDED_AFTER_MS)
  const outcome = past.number % FAILED_EVERY === 0 ? 'failed' : 'success'
  const payment = storedNetworkPayment({ transaction, outcome, at: endedAt })
  const ended = applyReport(transaction, reportOf(payment), endedAt, timingOf(past, endedAt))
  const events = [opened, ...(started ? [started] : []), ended].flatMap((decision) => decision.events)
  return {
    order: { ...toOrderDocument(order), outbox: [] },
    transaction: { ...toTransactionDocument({ ...ended, events }), outbox: [] },
    deliveries: events.map((event) => storedDelivery(event, past.merchant.webhookUrl)),
    payment: toPaymentDocument(payment),
  }
}

/** The order id of a stored payment, which searches ask for. */
export function storedOrderId(number: number): string {
  return `STORED-${number}`
}

/** Which merchant has it; 17 and the number of merchants have no common divisor, so that kinds of payments are spread over them. */
export function merchantIndexOf(number: number, merchants: number): number {
  return (number * 17) % merchants
}

function orderOf({ number, merchant, createdAt }: Past): Order {
  const request = {
    order_id: storedOrderId(number),
    amount: `${(number % 900) + 100}.00`,
    description: 'Blue shirt',
    customer: { id: `C-${number}`, name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' },
    udf1: 'cart-7',
  }
  return draftOrder(request, {
    merchant: { id: merchant.id, name: merchant.name, vpa: merchant.vpa, mcc: merchant.mcc },
    transactionId: newTransactionId(createdAt),
    fingerprint: hash('sha256', request.order_id, 'base64url'),
    correlationId: randomUUID(),
    now: createdAt,
    limits: { minAmountPaise: 100, maxAmountPaise: 1_000_000_000, upiCap: { defaultPaise: 10_000_000, byMcc: new Map() } },
  })
}

function begin({ transaction }: Decision, at: Date): Decision {
  const attempt = { id: randomBytes(12).toString('base64url'), method: 'netbanking' } as const
  const started = startAttempt(transaction, attempt, at, NO_ENQUIRIES)
  if (typeof started === 'string') throw new Error(`the attempt could not be started: ${started}`)
  return started
}

const NO_ENQUIRIES = {
  enquiryDelaysMs: [DAY_MS],
  enquiryGraceMs: 0,
  enquiryGiveUpMs: DAY_MS,
  finalEnquiryDelaysMs: [],
  reversalDelaysMs: [],
}

/** What ended within a day has the second of its repeated enquiries ahead of it, as in production; what is older has none. */
function timingOf({ now }: Past, endedAt: Date) {
  const isAhead = now.getTime() - endedAt.getTime() < DAY_MS
  return isAhead ? { ...NO_ENQUIRIES, finalEnquiryDelaysMs: [DAY_MS] } : NO_ENQUIRIES
}

function later(at: Date, milliseconds: number): Date {
  return new Date(at.getTime() + milliseconds)
}
