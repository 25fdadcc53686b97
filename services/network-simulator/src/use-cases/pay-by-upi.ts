import { Fault, paiseOf, type UpiIntent } from '@gateway/contracts'
import { requirePayable, type PaymentStatus } from '../clients/payment-status.ts'
import type { Payment } from '../domain/payment.ts'
import { upiPayments, type NewIds } from './create-payments.ts'
import type { CallbackSender } from './send-callbacks.ts'

export interface UpiAppPayment {
  readonly intent: UpiIntent
  readonly vpa: string
  /** Pay even when the order is unknown or finished. */
  readonly force: boolean
}

/**
 * Pays a UPI link as an app does. Returns the first payment; the scenario `twice` makes two.
 * Throws `transaction_not_found` and `order_not_payable`, except with `force`.
 */
export type PayByUpi = (request: UpiAppPayment) => Promise<Payment>

interface Dependencies extends Pick<PaymentStatus, 'findTransaction'> {
  readonly sender: CallbackSender
  readonly newIds: NewIds
  readonly now: () => Date
}

export function makePayByUpi({ findTransaction, sender, newIds, now }: Dependencies): PayByUpi {
  return async ({ intent, vpa, force }) => {
    const transaction = force
      ? await findTransaction(intent.transactionId).catch(() => undefined)
      : requirePayable(await findTransaction(intent.transactionId), 'transaction_not_found', now())
    const input = { amountPaise: paiseOf(intent.amount), expiresAt: transaction?.expiresAt ?? null }
    const made = upiPayments(vpa, { tr: intent.transactionId, ...input }, { now: now(), newIds })
    const [first] = made
    if (!first) throw new Fault('a scenario makes no payment')
    await sender.insertAndSend(made)
    return first
  }
}
