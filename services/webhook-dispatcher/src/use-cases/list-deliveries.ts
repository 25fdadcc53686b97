import type { Delivery } from '../domain/delivery.ts'
import { fittingOnPage, MAX_PAGE_BYTES } from '../domain/page-size.ts'
import type { DeliveryLists, PageRequest, Position, UndeliveredFilter } from '../persistence/delivery-lists.ts'

export interface Page {
  readonly deliveries: readonly Delivery[]
  /** Where the next page begins; `undefined` on the last one. */
  readonly next?: Position
}

export interface ListDeliveries {
  ofMerchant(filter: { merchantId: string; orderId?: string | undefined }, page: PageRequest): Promise<Page>
  undelivered(status: 'dead' | 'retrying', filter: UndeliveredFilter, page: PageRequest): Promise<Page>
}

export function makeListDeliveries(lists: Pick<DeliveryLists, 'ofMerchant' | 'undelivered'>): ListDeliveries {
  return {
    ofMerchant: (filter, page) => readPage(page, (request) => lists.ofMerchant(filter, request)),
    undelivered: (status, filter, page) => readPage(page, (request) => lists.undelivered(status, filter, request)),
  }
}

/** Reads one more than the page holds, to know whether there is a next page. Long deliveries make a page shorter than its limit. */
async function readPage(page: PageRequest, read: (request: PageRequest) => Promise<Delivery[]>): Promise<Page> {
  const found = await read({ ...page, limit: page.limit + 1, maxBytes: MAX_PAGE_BYTES })
  const deliveries = fittingOnPage(found.slice(0, page.limit))
  const last = deliveries.at(-1)
  if (found.length === deliveries.length || !last) return { deliveries }
  return { deliveries, next: { createdAt: last.createdAt, id: last.id } }
}
