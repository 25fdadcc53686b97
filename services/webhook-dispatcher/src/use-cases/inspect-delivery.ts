import type { Delivery } from '../domain/delivery.ts'
import type { Deliveries } from '../persistence/deliveries.ts'
import { deliveryNotFound } from './resend.ts'

/** A delivery with its body and all stored attempts. Throws `delivery_not_found`. */
export type InspectDelivery = (id: string) => Promise<Delivery>

export function makeInspectDelivery(deliveries: Pick<Deliveries, 'find'>): InspectDelivery {
  return async (id) => {
    const delivery = await deliveries.find(id)
    if (!delivery) throw deliveryNotFound()
    return delivery
  }
}
