/** Merchants of a running stack, and shoppers with a UPI app. */
import type { Scope } from '@gateway/contracts'
import { ApiError, Gateway, type NewOrder, type Order } from '@gateway/sdk'
import { anOrder, createMerchant, jsonClient, type JsonAnswer, type MerchantCredentials } from '@gateway/testkit'
import type { Stack } from '@gateway-infra/local/stack-file'

export type Merchant = ReturnType<typeof connectMerchant>

/** The platform's operator creates a merchant. Throws when that is refused. */
export async function openMerchant(stack: Stack, name: string, scopes?: readonly Scope[]): Promise<Merchant> {
  return connectMerchant(stack, await createMerchant(stack.operator, { name, ...(scopes && { scopes }) }))
}

/** The merchant's program, on the SDK. */
export function connectMerchant({ base_url: baseUrl }: Stack, credentials: MerchantCredentials) {
  const gateway = new Gateway({ baseUrl, credentials, maxRetries: 0 })
  return {
    credentials,
    /** An SDK client without retries, so that the test sees each answer of the stack. */
    gateway,
    /** The order as a search shows it. Throws when the merchant has no such order. */
    async search(orderId: string): Promise<Order> {
      const order = await gateway.orders.find(orderId)
      if (!order) throw new Error(`the merchant has no order ${orderId}`)
      return order
    },
  }
}

/** The status and the problem code of a refused call. Throws when the gateway accepts the call or does not answer. */
export async function refusalOf(call: Promise<unknown>): Promise<ApiError> {
  const outcome: unknown = await call.then(
    () => 'the gateway accepted the call',
    (error: unknown) => error,
  )
  if (outcome instanceof ApiError) return outcome
  throw outcome instanceof Error ? outcome : new Error(String(outcome))
}

/** An order as the merchant knows it after creating it. */
export type PlacedOrder = Awaited<ReturnType<typeof placeOrder>>

/** Creates an order of 1,499 rupees. Throws when it is refused. `url` is that of the hosted page. */
export async function placeOrder({ gateway }: Merchant, fields: Partial<NewOrder> = {}) {
  const order = anOrder({ amount: '1499.00', description: 'Blue shirt', return_url: 'https://shop.example/back', ...fields })
  const { transaction, checkout } = await gateway.orders.create(order)
  return { orderId: order.order_id, transactionId: transaction.id, ...checkout }
}

export type UpiApp = ReturnType<typeof upiApp>

/** A shopper's UPI app: it pays a payment link through the simulated network. */
export function upiApp({ network_url }: Stack, networkApiKey = '') {
  const call = jsonClient(network_url, networkApiKey === '' ? {} : { authorization: `Bearer ${networkApiKey}` })
  return {
    /** The part of `vpa` before `@sandbox` chooses the outcome. `force` pays a final order, too, with the network's API key. */
    pay: (
      intent: string,
      vpa: string,
      options: { force?: boolean } = {},
    ): Promise<JsonAnswer<{ payment_id: string; status: string }>> =>
      call('POST', '/sandbox/upi/pay', { intent, vpa, ...options }),
    /** Decides a payment that `pending@sandbox` left open. */
    resolve: (transactionId: string, outcome: 'success' | 'failure') =>
      call('POST', `/sandbox/payments/${transactionId}/resolve`, { outcome }),
  }
}
