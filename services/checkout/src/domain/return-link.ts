import type { TransactionView } from '@gateway/contracts'

/**
 * Where the shopper goes back to: the merchant's address with `order_id` and `status` as a hint. Anybody can write such
 * an address, so the merchant confirms by search. `undefined` when the merchant gave none.
 */
export function returnLink({ return_url, order_id, status }: TransactionView): string | undefined {
  if (return_url === null || !URL.canParse(return_url)) return undefined
  const url = new URL(return_url)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined
  url.searchParams.set('order_id', order_id)
  url.searchParams.set('status', status)
  return url.href
}
