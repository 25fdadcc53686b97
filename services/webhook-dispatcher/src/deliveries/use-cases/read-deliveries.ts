import { Refused, type TimelineEvent } from '@gateway/contracts'
import type { Delivery } from '../domain/delivery.ts'
import { fittingOnPage, MAX_PAGE_BYTES } from '../domain/page-size.ts'
import { timelineOf } from '../domain/timeline.ts'
import type { Deliveries } from '../persistence/deliveries.ts'
import type { DeliveryLists, PageRequest, Position, UndeliveredFilter } from '../persistence/delivery-lists.ts'
import type { DeliveryReadModel } from '../persistence/read-model.ts'

export interface Page {
  readonly deliveries: readonly Delivery[]
  /** Where the next page begins; `undefined` on the last one. */
  readonly next?: Position
}

export type ReadDeliveries = ReturnType<typeof createReadDeliveries>

export interface ReadDeliveriesOptions {
  readonly deliveries: Pick<Deliveries, 'find'>
  readonly lists: Pick<DeliveryLists, 'ofMerchant' | 'undelivered'>
  readonly readModel: Pick<DeliveryReadModel, 'ofOrder'>
}

export function createReadDeliveries({ deliveries, lists, readModel }: ReadDeliveriesOptions) {
  return {
    ofMerchant: (filter: { merchantId: string; orderId?: string | undefined }, page: PageRequest): Promise<Page> =>
      readPage(page, (request) => lists.ofMerchant(filter, request)),
    undelivered: (status: 'dead' | 'retrying', filter: UndeliveredFilter, page: PageRequest): Promise<Page> =>
      readPage(page, (request) => lists.undelivered(status, filter, request)),
    /** A delivery with its body and all stored attempts. Throws `delivery_not_found`. */
    async inspect(id: string): Promise<Delivery> {
      const delivery = await deliveries.find(id)
      if (!delivery) throw deliveryNotFound()
      return delivery
    },
    /** What happened to the webhooks of one order; empty for an unknown one. */
    timeline: async (merchantId: string, orderId: string): Promise<TimelineEvent[]> =>
      (await readModel.ofOrder(merchantId, orderId)).flatMap(timelineOf),
  }
}

/** Reads one more than the page holds, to know whether there is a next page. Long deliveries make a page shorter than its limit. */
async function readPage(page: PageRequest, read: (request: PageRequest) => Promise<Delivery[]>): Promise<Page> {
  const found = await read({ ...page, limit: page.limit + 1, maxBytes: MAX_PAGE_BYTES })
  const deliveries = fittingOnPage(found.slice(0, page.limit))
  const last = deliveries.at(-1)
  if (found.length === deliveries.length || !last) return { deliveries }
  return { deliveries, next: { created_at: last.created_at, id: last.id } }
}

export function deliveryNotFound(): Refused {
  return new Refused('delivery_not_found', 'There is no such delivery')
}
