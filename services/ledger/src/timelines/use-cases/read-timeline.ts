import { formatPaise, inTimelineOrder, Unavailable, type OrderTimeline, type TimelinePart } from '@gateway/contracts'
import { transactionIdOf, type Payment, type Payments } from '../../lists/index.ts'
import type { TimelineParts } from '../clients/timeline-parts.ts'

/** The timeline of one order of a merchant. Throws `order_not_found`. */
export type ReadTimeline = (merchantId: string, orderId: string) => Promise<OrderTimeline>

/**
 * Composes the timeline from payment-status and webhook-dispatcher. `incomplete` names a service that cannot be reached. Without
 * payment-status, the timeline has only the creation of the order, from the ledger's own copy.
 */
export function makeReadTimeline(parts: TimelineParts, findByOrder: Payments['findByOrder']): ReadTimeline {
  return async (merchantId, orderId) => {
    const payment = await orUndefined(parts.ofPayment(merchantId, orderId))
    const known = payment ?? partOfCopy(await findByOrder(merchantId, orderId))
    const webhooks = await orUndefined(parts.ofWebhooks(merchantId, orderId))
    return {
      data: { events: inTimelineOrder([...known.events, ...(webhooks?.events ?? [])]) },
      incomplete: [...(payment ? [] : (['payments'] as const)), ...(webhooks ? [] : (['webhooks'] as const))],
    }
  }
}

function partOfCopy(copy: Payment | null): TimelinePart {
  // The order may exist at payment-status, so 404 could be wrong.
  if (!copy) throw new Unavailable('payment_status_unavailable', 'The order cannot be looked up now; try again')
  const detail = { order_id: copy.order_id, amount: formatPaise(copy.amount_paise) }
  const created = {
    at: copy.created_at.toISOString(),
    kind: 'order.created',
    source: 'payments',
    sequence: null,
    detail,
  } as const
  return { transaction_id: transactionIdOf(copy), events: [created] }
}

async function orUndefined<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof Unavailable) return undefined
    throw error
  }
}
