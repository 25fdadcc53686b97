import { Refused, type UpiIntent, parseAmount } from '@gateway/contracts'
import type { FindTransaction, KnownTransaction } from '../clients/payment-status.ts'
import { upiBehaviour } from '../domain/instruments.ts'
import type { Payment } from '../domain/payment.ts'
import { planFor } from '../domain/plan.ts'
import type { Payments } from '../persistence/payments.ts'
import { makePayment, payerOf, type NewIds } from './make-payment.ts'
import type { CallbackSender } from './send-callbacks.ts'

export interface UpiAppPayment {
  readonly intent: UpiIntent
  readonly vpa: string
  /** Pay although the order is unknown or finished. */
  readonly force: boolean
}

/** A UPI app pays what the link says. Resolves to the first payment made; a shopper who pays twice has two. */
export type PayByUpi = (request: UpiAppPayment) => Promise<Payment>

interface Dependencies {
  readonly payments: Payments
  readonly findTransaction: FindTransaction
  readonly sender: CallbackSender
  readonly newIds: NewIds
  readonly now: () => Date
}

export function makePayByUpi({ payments, findTransaction, sender, newIds, now }: Dependencies): PayByUpi {
  return async ({ intent, vpa, force }) => {
    const transaction = force
      ? await findTransaction(intent.transactionId).catch(() => undefined)
      : requirePayable(await findTransaction(intent.transactionId), now())
    const { scenario, reversal } = upiBehaviour(vpa)
    const startedAt = now()
    const intended = { amountPaise: parseAmount(intent.amount) ?? 0, expiresAt: transaction?.expiresAt ?? null }
    const facts = { tr: intent.transactionId, method: 'upi', payer: payerOf(vpa), reversalBehaviour: reversal } as const
    const made = planFor(scenario, startedAt, intended).map((plan) => makePayment(facts, plan, startedAt, newIds))

    await payments.insert(made)
    sender.sendSoon(made)
    const [first] = made
    if (!first) throw new Error(`scenario ${scenario} makes no payment`)
    return first
  }
}

function requirePayable(transaction: KnownTransaction | undefined, now: Date): KnownTransaction {
  if (!transaction) throw new Refused('transaction_not_found', 'No order is known for the tr of this intent')
  if (transaction.final || transaction.closing || transaction.expiresAt <= now) {
    throw new Refused('order_not_payable', 'The order of this intent is finished, expired or cancelled')
  }
  return transaction
}
