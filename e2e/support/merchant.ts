/** Merchants of a running stack. */
import type { Scope } from '@gateway/contracts'
import { ApiError, Gateway, type Order } from '@gateway/sdk'
import { createMerchant as createMerchantAt, type MerchantCredentials } from '@gateway/testkit'
import type { StackDescription } from './stack-description.ts'

export type Credentials = MerchantCredentials

/** A merchant's program. */
export interface Merchant {
  readonly credentials: Credentials
  /** An SDK client without retries, so that the test sees each answer of the stack. */
  readonly gateway: Gateway
  /** The order as a search shows it. Throws when the merchant has no such order. */
  search(orderId: string): Promise<Order>
}

/** The platform's operator creates a merchant. Throws when that is refused. */
export function createMerchant(stack: StackDescription, name: string, scopes?: readonly Scope[]): Promise<Credentials> {
  return createMerchantAt(stack.operator, { name, ...(scopes && { scopes }) })
}

/** The merchant's program, on the SDK. */
export function connectMerchant({ base_url: baseUrl }: StackDescription, credentials: Credentials): Merchant {
  const gateway = new Gateway({ baseUrl, credentials, maxRetries: 0 })
  return {
    credentials,
    gateway,
    async search(orderId) {
      const order = await gateway.orders.find(orderId)
      if (!order) throw new Error(`the merchant has no order ${orderId}`)
      return order
    },
  }
}

/** The status and the problem code of a refused call. Throws when the gateway accepts the call or does not answer. */
export async function refusalOf(call: Promise<unknown>): Promise<Pick<ApiError, 'status' | 'code'>> {
  const outcome: unknown = await call.then(
    () => 'the gateway accepted the call',
    (error: unknown) => error,
  )
  if (outcome instanceof ApiError) return { status: outcome.status, code: outcome.code }
  throw outcome instanceof Error ? outcome : new Error(String(outcome))
}
