/** A shopper's UPI app: it pays a payment link through the simulated network. */
import { jsonClient, type JsonAnswer } from '@gateway/testkit'
import type { StackDescription } from './stack-description.ts'

export interface UpiPayment {
  readonly payment_id: string
  readonly status: string
}

export interface UpiApp {
  /** The part of `vpa` before `@sandbox` chooses the outcome. `force` pays an order that is already final. */
  pay(intent: string, vpa: string, options?: { force?: boolean }): Promise<JsonAnswer<UpiPayment>>
  /** Decides a payment that `pending@sandbox` left open. */
  resolve(transactionId: string, outcome: 'success' | 'failure'): Promise<JsonAnswer<unknown>>
}

export function upiApp({ network_url }: StackDescription): UpiApp {
  const call = jsonClient(network_url)
  return {
    pay: (intent, vpa, options = {}) => call('POST', '/sandbox/upi/pay', { intent, vpa, ...options }),
    resolve: (transactionId, outcome) => call('POST', `/sandbox/payments/${transactionId}/resolve`, { outcome }),
  }
}
