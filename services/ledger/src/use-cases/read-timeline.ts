import { formatPaise, inTimelineOrder, Refused, Unavailable, type OrderTimeline, type TimelinePart } from '@gateway/contracts'
import type { Payment } from '../domain/payment.ts'

/** The timeline of one order of a merchant. Throws `order_not_found`. */
export type ReadTimeline = (merchantId: string, orderId: string) => Promise<OrderTimeline>

/**
 * Composes the timeline from payment-status and webhook-dispatcher. `incomplete` names a service that cannot be reached. Without
 * payment-status, the timeline has only the creation of the order, from the ledger's own copy.
 */
export function makeReadTimeline(dependencies: {
  /** Throws `order_not_found` or `Unavailable`. */
  fetchPayment: (merchantId: string, orderId: string) => Promise<TimelinePart>
  /** Throws `Unavailable`. */
  fetchWebhooks: (transactionId: string) => Promise<TimelinePart>
  findByOrder: (merchantId: string, orderId: string) => Promise<Payment | undefined>
}): ReadTimeline {
  const { fetchPayment, fetchWebhooks, findByOrder } = dependencies
  return async (merchantId, orderId) => {
    const payment = await orUndefined(fetchPayment(merchantId, orderId))
    const known = payment ?? partOfCopy(await findByOrder(merchantId, orderId))
    const webhooks = await orUndefined(fetchWebhooks(known.transaction_id))
    return {
      data: { events: inTimelineOrder([...known.events, ...(webhooks?.events ?? [])]) },
      incomplete: [...(payment ? [] : (['payments'] as const)), ...(webhooks ? [] : (['webhooks'] as const))],
    }
  }
}

function partOfCopy(copy: Payment | undefined): TimelinePart {
  // The order may exist at payment-status, so 404 could be wrong.
  if (!copy) throw new Unavailable('payment_status_unavailable', 'The order cannot be looked up now; try again')
  const { transactionId, orderId, amountPaise, createdAt } = copy
  const detail = { order_id: orderId, amount: formatPaise(amountPaise) }
  const created = { at: createdAt.toISOString(), kind: 'order.created', source: 'payments', sequence: null, detail } as const
  return { transaction_id: transactionId, events: [created] }
}

async function orUndefined<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof Refused || !(error instanceof Unavailable)) throw error
    return undefined
  }
}
