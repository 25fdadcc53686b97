import type { CreateOrderRequest } from '@gateway/contracts'
import { anOrder } from '@gateway/testkit'
import type { Merchant } from './merchant.ts'

/** An order as the merchant knows it after creating it. */
export interface PlacedOrder {
  readonly orderId: string
  readonly transactionId: string
  /** The URL of the hosted page. */
  readonly url: string
  readonly intent: string
}

/** Creates an order of 1,499 rupees. Throws when it is refused. */
export async function placeOrder(merchant: Merchant, fields: Partial<CreateOrderRequest> = {}): Promise<PlacedOrder> {
  const order = anOrder({ amount: '1499.00', description: 'Blue shirt', return_url: 'https://shop.example/back', ...fields })
  const { status, body } = await merchant.create(order)
  if (status !== 201) throw new Error(`the order was answered ${status} ${JSON.stringify(body)}`)
  const { url, intent } = body.checkout
  return { orderId: order.order_id, transactionId: body.data.transaction.id, url, intent }
}
