import { toExportedPayment } from './exported-payment.ts'
import type { Decision } from './transaction.ts'

/** The events of a decision as they are published: each with a copy of the payment, as the decision's one write leaves it. */
export function publishedEvents({ transaction, events, moneyEvents }: Pick<Decision, 'transaction' | 'events' | 'moneyEvents'>) {
  const changes = [...events, ...moneyEvents]
  if (changes.length === 0) return []
  const payment = toExportedPayment(transaction)
  return changes.map((event) => ({ ...event, data: { ...event.data, payment } }))
}
