import type { CreateOrderRequest } from '@gateway/contracts'
import { anOrder } from '@gateway/testkit'
import type { Merchant } from './merchant.ts'

export interface PlacedOrder {
  readonly orderId: string
  readonly transactionId: string
  /** Of the hosted page. */
  readonly url: string
  readonly intent: string
}

/** A new order of 1,499 rupees. */
export async function placeOrder(merchant: Merchant, fields: Partial<CreateOrderRequest> = {}): Promise<PlacedOrder> {
  const order = anOrder({ amount: '1499.00', description: 'Blue shirt', return_url: 'https://site.example/back', ...fields })
  const { status, body } = await merchant.create(order)
  if (status !== 201) throw new Error(`the order was answered ${status} ${JSON.stringify(body)}`)
  const { url, intent } = body.checkout
  return { orderId: order.order_id, transactionId: body.data.transaction.id, url, intent }
}
