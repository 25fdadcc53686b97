import type { CreateOrderRequest } from '@gateway/contracts'

let counter = 0

/** An `order_id` that no other test uses. */
export function newOrderId(): string {
  counter += 1
  return `ORD-${process.pid}-${Date.now().toString(36)}-${counter}`
}

/** A valid order of 499 rupees; a test names what it cares about. */
export function anOrder(fields: Partial<CreateOrderRequest> = {}): CreateOrderRequest {
  return {
    order_id: newOrderId(),
    amount: '499.00',
    customer: { name: 'Asha Rao', email: 'asha@example.com', phone: '9876543210' },
    ...fields,
  }
}
