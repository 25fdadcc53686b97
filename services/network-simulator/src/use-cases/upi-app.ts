import { Refused } from '@gateway/contracts'
import type { Payment } from '../domain/payment.ts'
import { decidePending, type Decision, type Dependencies } from './resolve-payment.ts'

/** What a shopper sees in the UPI app of the sandbox after paying. Both throw `payment_not_found`. */
export interface UpiApp {
  paymentOf(reference: string): Promise<Payment>
  /** Ends a payment that is still pending; another one stays as it is. */
  decide(reference: string, decision: Decision): Promise<Payment>
}

export function makeUpiApp(dependencies: Dependencies): UpiApp {
  const paymentOf = async (reference: string): Promise<Payment> => {
    const payment = await dependencies.payments.find(reference)
    // The app shows what was paid with it, and nothing of cards and banks.
    if (payment?.method !== 'upi') throw new Refused('payment_not_found', 'There is no such payment')
    return payment
  }
  return {
    paymentOf,
    decide: async (reference, decision) => decidePending(await paymentOf(reference), decision, dependencies),
  }
}
