import { firstTransactionIdAt, slotDigits, slotOfOrder, type NetworkReport, type OrderCreated } from '@gateway/contracts'
import { openTransaction } from '../src/payments/domain/transition.ts'
import type { Transaction } from '../src/payments/domain/transaction.ts'
import type { Timing } from '../src/payments/domain/schedule.ts'

/** Builders for tests. Times are relative to noon. */
export const noon = new Date('2026-01-01T12:00:00Z')
export const at = (seconds: number): Date => new Date(noon.getTime() + seconds * 1000)

/** The id of the transaction of the order `ORD-1`. */
export const T1 = idOfOrder('ORD-1')

/** The id of the transaction of an order of the merchant `M1` that was created at noon: the same at each call, one for each slot. */
export function idOfOrder(orderId: string): string {
  return firstTransactionIdAt(noon).slice(0, -2) + slotDigits(slotOfOrder('M1', orderId))
}

/** An order of 499 rupees, created at noon, that expires twenty minutes later. */
export function orderCreatedEvent(data: Partial<OrderCreated['data']> = {}): OrderCreated {
  return {
    id: `${T1}.0`,
    type: 'order.created',
    version: 1,
    occurred_at: noon.toISOString(),
    correlation_id: 'corr-1',
    data: {
      transaction_id: T1,
      order_id: 'ORD-1',
      merchant: { id: 'M1', name: 'Blue Shirts', vpa: 'blue@okbank', mcc: '5651' },
      amount_paise: 49900,
      currency: 'INR',
      description: 'Blue shirt',
      methods: ['upi', 'card', 'netbanking'],
      max_attempts: 1,
      intent: `upi://pay?pa=blue@okbank&tr=${T1}&am=499.00&cu=INR`,
      created_at: noon.toISOString(),
      expires_at: at(1200).toISOString(),
      ...data,
    },
  }
}

export function opened(data: Partial<OrderCreated['data']> = {}): Transaction {
  return openTransaction(orderCreatedEvent(data)).transaction
}

export function report(fields: Partial<NetworkReport> = {}): NetworkReport {
  return { reference: 'R1', tr: T1, outcome: 'success', amount: '499.00', method: 'upi', ...fields }
}

export const timing: Timing = {
  enquiryDelaysMs: [10_000, 60_000],
  enquiryGraceMs: 90_000,
  enquiryGiveUpMs: 86_400_000,
  finalEnquiryDelaysMs: [900_000, 86_400_000],
  reversalDelaysMs: [1000, 60_000],
  refundDelaysMs: [1000, 60_000],
}
