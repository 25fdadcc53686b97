import {
  Fault,
  orderMethodOf,
  paiseOf,
  ValidationFailed,
  type OrderMethod,
  type PaymentMethod,
  type SimulatedOutcome,
  type UpiIntent,
} from '@gateway/contracts'
import { requirePayable } from '../clients/payment-status.ts'
import type { Payment } from '../domain/payment.ts'
import { planForOutcome, unclearFor, type SimulationOptions } from '../domain/plan.ts'
import { makePayment, payerOf, upiPayments, type Tools } from './create-payments.ts'

interface UpiAppPayment {
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

export function makePayByUpi({ findTransaction, sender, newIds, now }: Tools): PayByUpi {
  return async ({ intent, vpa, force }) => {
    const transaction = force
      ? await findTransaction(intent.transactionId).catch(() => undefined)
      : requirePayable(await findTransaction(intent.transactionId), 'transaction_not_found', now())
    const input = { amountPaise: paiseOf(intent.amount), expiresAt: transaction ? new Date(transaction.expires_at) : null }
    const made = upiPayments(vpa, { tr: intent.transactionId, ...input }, { now: now(), newIds })
    const [first] = made
    if (!first) throw new Fault('a scenario makes no payment')
    await sender.insertAndSend(made)
    return first
  }
}

interface Simulation extends SimulationOptions {
  readonly merchantId: string
  readonly orderId: string
  readonly outcome: SimulatedOutcome
  /** `undefined`: UPI, or the order's first method when it does not take UPI. */
  readonly method?: PaymentMethod | undefined
}

/** Makes a payment of the merchant's order with the requested outcome; `undefined` when the outcome makes none. */
export type Simulate = (simulation: Simulation) => Promise<Payment | undefined>

/** Throws `order_not_found` (also for another merchant's order), and `order_not_payable` for an order that has ended. */
export function makeSimulate({ findOrder, sender, newIds, now }: Tools): Simulate {
  return async ({ merchantId, orderId, outcome, method: wanted, ...options }) => {
    const order = requirePayable(await findOrder(merchantId, orderId), 'order_not_found', now())
    const method = chooseMethod(wanted, order.methods)
    const startedAt = now()
    const plan = planForOutcome(outcome, options, startedAt, {
      amountPaise: paiseOf(order.amount),
      expiresAt: new Date(order.expires_at),
    })
    if (!plan) return undefined

    const unclear = unclearFor(outcome, options, startedAt)
    const fields = { tr: order.id, method, payer: method === 'upi' ? PAYER : null, unclear }
    const payment = makePayment(fields, plan, startedAt, newIds)
    await sender.insertAndSend([payment])
    return payment
  }
}

const PAYER = payerOf('simulated@sandbox')

const FIRST: Readonly<Record<OrderMethod, PaymentMethod>> = { upi: 'upi', card: 'credit_card', netbanking: 'netbanking' }

function chooseMethod(wanted: PaymentMethod | undefined, offered: readonly OrderMethod[]): PaymentMethod {
  const [first = 'upi'] = offered.includes('upi') ? [] : offered
  const method = wanted ?? FIRST[first]
  if (offered.includes(orderMethodOf(method))) return method
  throw new ValidationFailed([{ field: '/method', message: `the order takes only ${offered.join(', ')}` }])
}
