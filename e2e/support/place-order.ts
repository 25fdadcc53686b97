import type { NewOrder } from '@gateway/sdk'
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
export async function placeOrder({ gateway }: Merchant, fields: Partial<NewOrder> = {}): Promise<PlacedOrder> {
  const order = anOrder({ amount: '1499.00', description: 'Blue shirt', return_url: 'https://shop.example/back', ...fields })
  const { transaction, checkout } = await gateway.orders.create(order)
  return { orderId: order.order_id, transactionId: transaction.id, ...checkout }
}
