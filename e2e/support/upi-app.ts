/** A shopper's UPI app: it pays a payment link through the simulated network. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { jsonClient, type JsonAnswer } from '@gateway/testkit'
import type { StackDescription } from './stack-description.ts'

export interface UpiPayment {
  readonly payment_id: string
  readonly status: string
}

export interface UpiApp {
  /** The part of `vpa` before `@sandbox` chooses the outcome. `force` pays an order that is already final, with the network's API key. */
  pay(intent: string, vpa: string, options?: { force?: boolean }): Promise<JsonAnswer<UpiPayment>>
  /** Decides a payment that `pending@sandbox` left open. */
  resolve(transactionId: string, outcome: 'success' | 'failure'): Promise<JsonAnswer<unknown>>
}

/** The key with which the gateway calls the network of a stack. */
export function networkApiKeyOf(stateDir: string): string {
  const secrets = JSON.parse(readFileSync(join(stateDir, 'secrets.json'), 'utf8')) as { networkApiKey: string }
  return secrets.networkApiKey
}

export function upiApp({ network_url }: StackDescription, networkApiKey = ''): UpiApp {
  const call = jsonClient(network_url, networkApiKey === '' ? {} : { authorization: `Bearer ${networkApiKey}` })
  return {
    pay: (intent, vpa, options = {}) => call('POST', '/sandbox/upi/pay', { intent, vpa, ...options }),
    resolve: (transactionId, outcome) => call('POST', `/sandbox/payments/${transactionId}/resolve`, { outcome }),
  }
}
