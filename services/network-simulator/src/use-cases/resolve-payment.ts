import { Refused } from '@gateway/contracts'
import { settle } from '../domain/decide.ts'
import type { Payment } from '../domain/payment.ts'
import type { Payments } from '../persistence/payments.ts'
import type { CallbackSender } from './send-callbacks.ts'
import { updatePayment } from './update-payment.ts'

export type Decision = { readonly outcome: 'success' } | { readonly outcome: 'failed'; readonly reason: string }

/** What a tester decides. */
export function decisionOf(outcome: 'success' | 'failure'): Decision {
  return outcome === 'success' ? { outcome } : { outcome: 'failed', reason: 'declined by the tester' }
}

/**
 * Decides every pending payment of a transaction and sends the callbacks. Throws `Refused`: `payment_not_found` without payments,
 * `payment_finished` when none is pending.
 */
export type ResolvePayments = (tr: string, decision: Decision) => Promise<readonly Payment[]>

export interface Dependencies {
  readonly payments: Payments
  readonly sender: CallbackSender
  readonly now: () => Date
}

export function makeResolvePayments(dependencies: Dependencies): ResolvePayments {
  return async (tr, decision) => {
    const known = await dependencies.payments.findByTransaction(tr)
    if (known.length === 0) throw new Refused('payment_not_found', 'The simulator knows no payment of this transaction')
    const pending = known.filter(({ outcome }) => outcome === 'pending')
    if (pending.length === 0) throw new Refused('payment_finished', 'No payment of this transaction is pending')
    return Promise.all(pending.map((payment) => decidePending(payment, decision, dependencies)))
  }
}

/** Decides one payment, unless it is already decided. Returns the current payment. */
export async function decidePending(
  payment: Payment,
  decision: Decision,
  { payments, sender, now }: Dependencies,
): Promise<Payment> {
  const decided = await updatePayment(payments, payment.reference, (current) => {
    if (current.outcome !== 'pending') return current
    return settle(current, decision.outcome, now(), decision.outcome === 'failed' ? decision.reason : undefined)
  })
  if (!decided) return payment
  sender.sendSoon([decided])
  return decided
}
