import type { Delivery } from './delivery.ts'

/** A page of deliveries ends before this size. A delivery with 50 long answers takes a quarter of it. */
export const MAX_PAGE_BYTES = 256 * 1024

/** All fields but the attempts. */
const OTHER_FIELDS_BYTES = 1024

/** An upper estimate of the bytes that a delivery takes on a page. */
export function bytesOf({ attempts, url, original_url }: Delivery): number {
  return OTHER_FIELDS_BYTES + Buffer.byteLength(JSON.stringify([attempts, url, original_url]))
}

/** The first deliveries that fit on one page together: at least one, so that every page leads to the next. */
export function fittingOnPage(deliveries: readonly Delivery[], maxBytes = MAX_PAGE_BYTES): readonly Delivery[] {
  let bytes = 0
  return deliveries.filter((delivery, index) => (bytes += bytesOf(delivery)) <= maxBytes || index === 0)
}
