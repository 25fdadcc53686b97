import { Refused } from '@gateway/contracts'
import type { Payment } from '../domain/payment.ts'
import { decidePending, type Decision, type Dependencies } from './resolve-payment.ts'

/** The sandbox's UPI app after a payment. Both functions throw `Refused` (`payment_not_found`). */
export interface UpiApp {
  paymentOf(reference: string): Promise<Payment>
  /** Decides a pending payment; any other payment does not change. */
  decide(reference: string, decision: Decision): Promise<Payment>
}

export function makeUpiApp(dependencies: Dependencies): UpiApp {
  const paymentOf = async (reference: string): Promise<Payment> => {
    const payment = await dependencies.payments.find(reference)
    // The app shows UPI payments only, not those of cards and banks.
    if (payment?.method !== 'upi') throw new Refused('payment_not_found', 'There is no such payment')
    return payment
  }
  return {
    paymentOf,
    decide: async (reference, decision) => decidePending(await paymentOf(reference), decision, dependencies),
  }
}
